package main

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mayBeEmpty are flags for texts of any kind.
var mayBeEmpty = map[string]bool{"description": true, "note": true, "caller": true, "by": true}

// checkText refuses empty arguments, because all plans are listed in place of those of a station, and
// a plan without a type runs at once; and those that are not UTF-8, because requests hold UTF-8 texts. Other bytes
// would be changed on their way, so that two keys of queues became one, and a file another.
func checkText(cmd *cobra.Command, args []string) error {
	top := cmd
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	if top.GroupID != groupAsk {
		return nil
	}
	for _, arg := range args {
		if arg == "" {
			return usagef("an argument is empty, as an unset variable of the shell is; it is: %s", cmd.UseLine())
		}
		if !utf8.ValidString(arg) {
			return usagef("%q is not UTF-8, in which texts are sent: write it so", arg)
		}
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && isEmpty(f.Value) && !mayBeEmpty[f.Name] && len(f.Annotations[setFrom]) == 0 {
			err = usagef("--%s is empty, as an unset variable of the shell is: leave it out, or give a value", f.Name)
		}
		if err == nil && f.Name != "file" && !utf8.ValidString(f.Value.String()) { // a name of a file is the system's
			err = usagef("--%s %q is not UTF-8, in which texts are sent: write it so", f.Name, f.Value.String())
		}
	})
	return err
}

func isEmpty(v pflag.Value) bool {
	if list, is := v.(pflag.SliceValue); is {
		return strings.Join(list.GetSlice(), "") == ""
	}
	return v.String() == ""
}
