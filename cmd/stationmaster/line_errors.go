package main

import (
	"fmt"
	"io"
	"regexp"
)

// mostAlike is how many lines of a file with the same error are reported.
const mostAlike = 10

// lineErrors counts the errors in the lines of a file, and prints the first of each kind.
type lineErrors struct {
	times map[string]int
	left  int // not printed
}

// ofOne matches the parts that differ between lines with the same error.
var ofOne = regexp.MustCompile(`[\w.-]+/[\w-]+|"[^"]*"|\d+`)

// report prints the error in a line, unless there were many of its kind.
func (l *lineErrors) report(w io.Writer, line int64, what string) {
	if l.times == nil {
		l.times = map[string]int{}
	}
	kind := ofOne.ReplaceAllString(what, "")
	if l.times[kind]++; l.times[kind] > mostAlike {
		l.left++
		return
	}
	fmt.Fprintf(w, "line %d: %s\n", line, what)
}

// rest prints the number of errors that were left out.
func (l *lineErrors) rest(w io.Writer) {
	if l.left > 0 {
		fmt.Fprintf(w, "and %d more lines with the same errors as some of these\n", l.left)
	}
}
