package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagConfig names the flag whose value is a file with the values of others.
const flagConfig = "config"

// settle gives each flag that the command line does not set the value of its variable, else
// that of the configuration file.
func settle(flags *pflag.FlagSet) error {
	var errs []error
	set := func(f *pflag.Flag, value, from string) {
		if err := flags.Set(f.Name, value); err != nil {
			if bad, is := errors.AsType[*pflag.InvalidValueError](err); is {
				err = refusedValue(from+": "+f.Name, bad)
			}
			errs = append(errs, &usageError{err})
		}
		annotate(f, setFrom, from)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		for _, name := range variables(flags, f) {
			if value, ok := os.LookupEnv(name); ok && !f.Changed {
				set(f, value, name)
			}
		}
	})
	file := flags.Lookup(flagConfig)
	if len(errs) > 0 || file == nil || file.Value.String() == "" {
		return errors.Join(errs...)
	}
	values, err := readConfig(file.Value.String())
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		f := flags.Lookup(strings.ReplaceAll(key, "_", "-"))
		switch {
		case f == nil || f == file:
			errs = append(errs, usagef("%s: there is no setting %q%s", file.Value, key, meant("", strings.ReplaceAll(key, "_", "-"), settingNames(flags))))
		case !f.Changed:
			set(f, values[key], file.Value.String())
		}
	}
	return errors.Join(errs...)
}

// settingNames are the names of the flags that a configuration file may set.
func settingNames(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != flagConfig {
			names = append(names, f.Name)
		}
	})
	return names
}

// setFrom is the annotation of a flag whose value is not from the command line.
const setFrom = "stationmaster_set_from"

func fromCommandLine(f *pflag.Flag) bool { return len(f.Annotations[setFrom]) == 0 }

// origin names a flag that was set, and the variable or the file that its value came from.
func origin(f *pflag.Flag) string {
	if fromCommandLine(f) {
		return "--" + f.Name
	}
	return "--" + f.Name + " (from " + f.Annotations[setFrom][0] + ")"
}

// noVariable is the annotation of a flag without an environment variable, because it is a
// part of the request.
const noVariable = "stationmaster_no_variable"

// howItIsDone are flags of requesting commands that set how they work, not their request.
var howItIsDone = []string{flagJSON, "yes", "dry-run", "set", "out"}

// withoutVariables makes a requesting command, and those below it, read the request from
// the command line alone, because a variable that is set for another command must not
// change the stored state.
func withoutVariables(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { // flags of the connection are persistent
		if !slices.Contains(howItIsDone, f.Name) {
			annotate(f, noVariable, "")
		}
	})
	for _, sub := range cmd.Commands() {
		withoutVariables(sub)
	}
}

// variables are the environment variables of a flag; the first that is set counts.
func variables(flags *pflag.FlagSet, f *pflag.Flag) []string {
	switch {
	case f.Annotations[noVariable] != nil, f.Name == "help", f.Name == "version":
		return nil
	case f.Name != flagWait:
		return []string{variable(f.Name)}
	}
	wait := flags.Lookup("timeout")
	switch {
	case wait.Annotations[noVariable] != nil: // another flag, but its variable is this one's
		return []string{variable(flagWait), variable("timeout")}
	case wait.Changed && fromCommandLine(wait):
		return nil
	}
	return []string{variable(flagWait)}
}

// annotate adds an annotation to a flag.
func annotate(f *pflag.Flag, key, value string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{} // completion has its own there
	}
	f.Annotations[key] = []string{value}
}

// variable is the environment variable of a flag.
func variable(flag string) string {
	return ownPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// readConfig reads a TOML file of flat keys, each the name of a flag.
func readConfig(path string) (map[string]string, error) {
	var file map[string]any
	if _, err := toml.DecodeFile(path, &file); err != nil {
		wrong, is := errors.AsType[toml.ParseError](err)
		switch {
		case !is:
			return nil, fmt.Errorf("read configuration: %w", err)
		case wrong.LastKey != "":
			return nil, usagef("read configuration %s: line %d: the value of %s is none of TOML: a text stands in quotes, as in %[3]s = \"…\"; a number, true and false do not", path, wrong.Position.Line, wrong.LastKey)
		}
		return nil, usagef("read configuration %s: line %d is none of TOML: it takes the name of a flag, =, and its value, as in data-dir = \"…\"", path, wrong.Position.Line)
	}
	values := make(map[string]string, len(file))
	for key, value := range file {
		switch value.(type) {
		case map[string]any, []any, []map[string]any:
			return nil, usagef("%s: %s: tables and lists mean nothing here; write %s = \"…\"", path, key, key)
		}
		values[key] = fmt.Sprint(value)
	}
	return values, nil
}
