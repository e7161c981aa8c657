package main

import (
	"fmt"
	"io"
	"regexp"
)

// mostAlike is how many lines of a file are told of that have the same wrong with them.
const mostAlike = 10

// told is what was said of the lines of a file: what is alike is counted after a while.
type told struct {
	times map[string]int
	left  int // that were not said
}

// ofOne is what differs between lines that have the same wrong with them.
var ofOne = regexp.MustCompile(`[\w.-]+/[\w-]+|"[^"]*"|\d+`)

// say says what is wrong with a line.
func (t *told) say(w io.Writer, line int64, what string) {
	if t.times == nil {
		t.times = map[string]int{}
	}
	kind := ofOne.ReplaceAllString(what, "")
	if t.times[kind]++; t.times[kind] > mostAlike {
		t.left++
		return
	}
	fmt.Fprintf(w, "line %d: %s\n", line, what)
}

// rest says how many lines were not told of.
func (t *told) rest(w io.Writer) {
	if t.left > 0 {
		fmt.Fprintf(w, "and %d more lines that have the same wrong with them as some of these\n", t.left)
	}
}
