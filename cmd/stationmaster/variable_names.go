package main

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ownPrefix begins the environment variables of this program.
const ownPrefix = "STATIONMASTER_"

// checkVariables refuses environment variables that begin as those of this program do and
// that no command reads, because a misspelt one would be ignored.
func checkVariables(root *cobra.Command, environment []string) error {
	var set []string
	for _, v := range environment {
		name, value, _ := strings.Cut(v, "=")
		if given, is := strings.CutPrefix(name, ownPrefix); is && !isOfOthers(given, value) {
			set = append(set, given)
		}
	}
	if len(set) == 0 {
		return nil
	}
	slices.Sort(set)
	read, flags := variablesRead(root)
	var errs []error
	for _, given := range set {
		flag := strings.ToLower(strings.ReplaceAll(given, "_", "-"))
		switch {
		case slices.Contains(read, given):
		case variable(flag) == ownPrefix+given && slices.Contains(flags, flag):
			errs = append(errs, usagef("variable %s%s is set, and read by no command; give --%s on the command line", ownPrefix, given, flag))
		default:
			errs = append(errs, usagef("variable %s%s is set, and unknown%s", ownPrefix, given, meant(ownPrefix, given, read)))
		}
	}
	return errors.Join(errs...)
}

// variablesRead are the names of the variables that any command reads, without their prefix,
// and all flags.
func variablesRead(cmd *cobra.Command) (read, flags []string) {
	cmd.InheritedFlags() // which merges them into those of cmd
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags = append(flags, f.Name)
		for _, name := range variables(cmd.Flags(), f) {
			read = append(read, strings.TrimPrefix(name, ownPrefix))
		}
	})
	for _, sub := range cmd.Commands() {
		r, f := variablesRead(sub)
		read, flags = append(read, r...), append(flags, f...)
	}
	return read, flags
}

var (
	ofService = regexp.MustCompile(`^(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)
	ofPort    = regexp.MustCompile(`^([^=]+_)?PORT=(tcp|udp|sctp)://`)
	ofLink    = regexp.MustCompile(`^([^=]+_)?(NAME=/|ENV_[^=]+=)`)
)

// isOfOthers reports whether a variable is one that Kubernetes sets for a Service whose name
// begins with stationmaster, or Docker for a link to such a container.
func isOfOthers(given, value string) bool {
	v := given + "=" + value
	return ofService.MatchString(given) || ofPort.MatchString(v) || ofLink.MatchString(v)
}

// refuseVariables is checkVariables for a command; completion goes on, because a shell shows
// no error of it.
func refuseVariables(cmd *cobra.Command) error {
	if cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd {
		return nil
	}
	return checkVariables(cmd.Root(), os.Environ())
}
