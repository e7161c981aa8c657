package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// hiding are the flags that hide another, because the request of the command has that word.
var hiding = map[string]string{"stationmaster queue get": "timeout", "stationmaster task type put": "timeout"}

// No other flag of a command has the name of a flag that it inherits, because it would take that flag
// away.
func TestNoFlagHidesAnother(t *testing.T) {
	count := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for above := cmd.Parent(); above != nil; above = above.Parent() {
			above.PersistentFlags().VisitAll(func(f *pflag.Flag) {
				count++
				if own := cmd.LocalFlags().Lookup(f.Name); own != nil && own != f && hiding[cmd.CommandPath()] != f.Name {
					t.Errorf("%s: --%s hides the flag of %s", cmd.CommandPath(), f.Name, above.CommandPath())
				}
			})
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(func() {}))
	if count == 0 {
		t.Error("no command inherits a flag")
	}
}
