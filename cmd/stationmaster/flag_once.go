package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// errTwice refuses a second value of a flag that takes one, because one of the two would be dropped
// without a word.
var errTwice = errors.New("it is given twice, and takes one value")

// A onceValue is a flag that takes one value.
type onceValue struct {
	pflag.Value
	given bool
}

// Set takes the value.
func (v *onceValue) Set(text string) error {
	if v.given {
		return errTwice
	}
	if err := v.Value.Set(text); err != nil {
		return err
	}
	v.given = true
	return nil
}

// note is that of a value which has one.
func (v *onceValue) note() string {
	if of, is := v.Value.(interface{ note() string }); is {
		return of.note()
	}
	return ""
}

// takeOnce has the flags of a command, and of those below it, take one value, but for lists
// and for serve, because start scripts put a flag behind those of a unit, and the last stands.
func takeOnce(cmd *cobra.Command) {
	once := func(f *pflag.Flag) {
		_, wrapped := f.Value.(*onceValue)
		if kind := f.Value.Type(); !wrapped && kind != "bool" && kind != "count" && kind != "durations" && kind != "stringToString" && !strings.HasSuffix(kind, "Slice") && !strings.HasSuffix(kind, "Array") {
			f.Value = &onceValue{Value: f.Value}
		}
	}
	cmd.PersistentFlags().VisitAll(once)
	cmd.Flags().VisitAll(once)
	for _, below := range cmd.Commands() {
		if below.Name() != "serve" {
			takeOnce(below)
		}
	}
}
