package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// This file reads labels and lists for the flags of all commands. They are taken literally,
// because quotes are the shell's, and have no meaning here.

// A labelsValue is a flag for NAME=VALUE, once or several times.
type labelsValue map[string]string

// labelsVar adds a flag for labels.
func labelsVar(fs *pflag.FlagSet, to *map[string]string, name, usage string) {
	fs.Var((*labelsValue)(to), name, usage)
}

// plainLabel is one that may stand among others with commas between them.
var plainLabel = regexp.MustCompile(`^[\w\p{L}\p{N}./-]+=[^="',]*$`)

// Set takes one label, whose value may be any text. Several with commas are accepted where
// they are unambiguous, because a variable has no other way to hold them.
func (v *labelsValue) Set(text string) error {
	pairs := strings.Split(text, ",")
	if !slices.ContainsFunc(pairs, func(pair string) bool { return !plainLabel.MatchString(pair) }) {
		for _, pair := range pairs {
			if err := v.add(pair); err != nil {
				return err
			}
		}
		return nil
	}
	return v.add(text)
}

func (v *labelsValue) add(pair string) error {
	name, value, is := strings.Cut(pair, "=")
	switch _, twice := (*v)[name]; {
	case !is || name == "":
		return fmt.Errorf("give NAME=VALUE")
	case twice:
		return fmt.Errorf("%s is there already, as %q: a label has one value", name, (*v)[name])
	case *v == nil:
		*v = labelsValue{}
	}
	(*v)[name] = value
	return nil
}

func (v *labelsValue) String() string {
	pairs := make([]string, 0, len(*v))
	for _, name := range slices.Sorted(maps.Keys(*v)) {
		pairs = append(pairs, name+"="+(*v)[name])
	}
	return strings.Join(pairs, ",")
}

func (v *labelsValue) Type() string { return "stringToString" } // by which shells know that it may be repeated

// A listValue is a flag for names, words or addresses: with commas, or several times.
type listValue []string

// listVar adds a flag for a list.
func listVar(fs *pflag.FlagSet, to *[]string, name, usage string) {
	fs.Var((*listValue)(to), name, usage)
}

func (v *listValue) Set(text string) error {
	if text != "" {
		*v = append(*v, strings.Split(text, ",")...)
	}
	return nil
}

func (v *listValue) String() string { return strings.Join(*v, ",") }
func (v *listValue) Type() string   { return "stringSlice" } // likewise
