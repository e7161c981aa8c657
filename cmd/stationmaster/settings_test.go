package main

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A variable is set for every flag of every command. Variables of the program and its
// connection are read, and none of a request's fields.
func TestFlagsForOnePurposeHaveNoVariables(t *testing.T) {
	of := func(f *pflag.Flag) string {
		switch {
		case f.Value.Type() == "stringToString":
			return "a=1"
		case f.Name == "results-age":
			return "1d" // its unit is not left out
		case f.Name == "sync":
			return "always"
		case f.Name == "results-age": // a small number needs its unit
			return "7d"
		}
		return "1"
	}
	walk(newRoot(func() {}), nil, func(cmd *cobra.Command, _ []string) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != flagConfig {
				t.Setenv(variable(f.Name), of(f))
			}
		})
	})
	seen := 0
	walk(newRoot(func() {}), nil, func(cmd *cobra.Command, path []string) {
		top, _, err := cmd.Root().Find(path[:1])
		if err != nil {
			t.Fatal(err)
		}
		asks := top.GroupID == groupAsk
		if err := settle(cmd.Flags()); err != nil && !errors.As(err, new(*usageError)) {
			t.Fatalf("%q: %v", path, err)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			seen++
			want := !asks || isPersistent(cmd, f) || slices.Contains([]string{"json", "yes", "dry-run", "set", "out"}, f.Name)
			if want = want && f.Name != flagConfig && f.Name != "help"; f.Changed != want {
				t.Errorf("%q --%s: read from its variable: %t; want %t", path, f.Name, f.Changed, want)
			}
		})
	})
	if seen < 500 {
		t.Errorf("%d flags were tried", seen)
	}
}

// isPersistent reports whether a flag is one that a command shares with others.
func isPersistent(cmd *cobra.Command, f *pflag.Flag) bool {
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.PersistentFlags().Lookup(f.Name) == f {
			return true
		}
	}
	return false
}

// STATIONMASTER_TIMEOUT is the wait for the server, also where a command has another
// --timeout.
func TestTheWaitForTheServerIsNoField(t *testing.T) {
	for _, c := range []struct {
		variables map[string]string
		args      []string
		wait      time.Duration
	}{
		{nil, nil, answerWithin},
		{map[string]string{"TIMEOUT": "2s"}, nil, 2 * time.Second},
		{map[string]string{"TIMEOUT": "2s", "REQUEST_TIMEOUT": "3s"}, nil, 3 * time.Second},
		{map[string]string{"TIMEOUT": "2s"}, []string{"--request-timeout", "4s"}, 4 * time.Second},
	} {
		for _, path := range [][]string{{"queue", "get"}, {"task", "type", "put"}} {
			t.Run("", func(t *testing.T) {
				for name, value := range c.variables {
					t.Setenv("STATIONMASTER_"+name, value)
				}
				cmd, _, err := newRoot(func() {}).Find(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.ParseFlags(c.args); err != nil {
					t.Fatal(err)
				}
				if err := settle(cmd.Flags()); err != nil {
					t.Fatal(err)
				}
				if f := cmd.Flags().Lookup("timeout"); f.Changed {
					t.Errorf("%v: --timeout is %s", c.variables, f.Value)
				}
				if got := cmd.Flags().Lookup(flagWait).Value.String(); got != c.wait.String() {
					t.Errorf("%v: waits for %s, want %v", c.variables, got, c.wait)
				}
			})
		}
	}
	t.Setenv("STATIONMASTER_REQUEST_TIMEOUT", "3s")
	cmd, _, err := newRoot(func() {}).Find([]string{"plan", "ls"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(cmd.ParseFlags([]string{"--timeout", "4s"}), settle(cmd.Flags())); err != nil {
		t.Fatal(err)
	}
	if got := cmd.Flags().Lookup(flagWait).Value.String(); got != "4s" {
		t.Errorf("--timeout 4s with a variable of 3s waits for %s", got)
	}
}
