package main

import (
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkText refuses arguments that are not UTF-8, because requests hold UTF-8 texts. Other bytes
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
		if !utf8.ValidString(arg) {
			return usagef("%q is not UTF-8, in which texts are sent: write it so", arg)
		}
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Name != "file" && !utf8.ValidString(f.Value.String()) { // a name of a file is the system's
			err = usagef("--%s %q is not UTF-8, in which texts are sent: write it so", f.Name, f.Value.String())
		}
	})
	return err
}
