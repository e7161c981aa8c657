// Command stationmaster is the whole program: the scheduler with its embedded nats-server,
// and the tools for one that runs elsewhere.
//
// Each subcommand has a file of its own, which turns flags into a call of package node,
// client or worker and prints the result. Requested output goes to stdout, everything else
// to stderr.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

func main() {
	node.Tune()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], &input{ctx, os.Stdin}, onTerminal(os.Stdout), onTerminal(os.Stderr)))
}

// run is the program without its process: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	understood := false // the command line: a subcommand has begun its work
	root := newRoot(func() { understood = true })
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	addCompletion(root)
	unexplained := refuseHelp(root)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = *unexplained
	}
	if err == nil {
		return exitDone
	}
	_, wrong := errors.AsType[*usageError](err)
	wrong = wrong || !understood
	printError(stderr, cmd, err, wrong)
	if wrong {
		return exitUsage
	}
	return exitCode(cmd, err)
}

// The groups that help lists subcommands in.
const (
	groupRun   = "run"
	groupAsk   = "ask"
	groupTools = "tools"
)

// newRoot builds the tree of commands. begin is called when a command line is understood
// and its subcommand about to run.
func newRoot(begin func()) *cobra.Command {
	root := group("stationmaster", "An event-driven scheduler on NATS JetStream")
	root.Long = `Stationmaster keeps time for NATS. A publisher sends a plan: a command, a station
and a schedule. At each due time the scheduler publishes an execution to the plan's
station. A subscriber there is a worker, and answers.

Flags that configure the program and its connection have an environment variable: --data-dir
is STATIONMASTER_DATA_DIR. A flag wins over its variable, that over the file of
--config, that over the default. Flags of a request, such as a field
of a plan, have none. A variable STATIONMASTER_… that no command reads is refused, but
for those that Kubernetes and Docker set for a service of that name.`
	root.Example = `  stationmaster demo     # everything in one process, with something to watch
  stationmaster serve    # the scheduler with an embedded nats-server, data in ./data`
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(refusedFlag)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := refuseVariables(cmd); err != nil {
			return err
		}
		if err := settle(cmd.Flags()); err != nil {
			return err
		}
		if err := checkText(cmd, args); err != nil {
			return err
		}
		begin()
		noteFlags(cmd)
		return nil
	}
	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: "Run a part of it:"},
		&cobra.Group{ID: groupAsk, Title: "Speak to one that runs:"},
		&cobra.Group{ID: groupTools, Title: "Tools:"},
	)
	add := func(id string, cmds ...*cobra.Command) {
		for _, cmd := range cmds {
			cmd.GroupID = id
			root.AddCommand(cmd)
		}
	}
	add(groupRun, newServe(), newDemo(), newWork())
	add(groupAsk, newWhy(), newPlan(), newStation(), newCalendar(), newQueue(), newTask(), newPeriodic(), newSecret(), newWorker(), newNode(), newDamage(), newApply(), newSimulate(), newExport(), newImport(), newTail())
	add(groupTools, newZones(), newDecode(), newVersion())
	root.SetHelpCommandGroupID(groupTools)
	for _, cmd := range root.Commands() {
		if cmd.GroupID == groupAsk {
			withoutVariables(cmd)
		}
	}
	addOtherNames(root)
	takeOnce(root)
	return root
}

// addCompletion adds cobra's own subcommand, which writes to where root does now.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	if cmd, _, err := root.Find([]string{"completion"}); err == nil {
		cmd.GroupID = groupTools
		wantSubcommand(cmd)
	}
}

// A usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// takes makes another number of arguments a usage error.
func takes(n int) cobra.PositionalArgs { return takesUpTo(n, n) }

func takesUpTo(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > most:
			return usagef("%q is one argument too many; it is: %s", args[most], cmd.UseLine())
		case len(args) < least:
			return usagef("an argument is missing; it is: %s", cmd.UseLine())
		default:
			return nil
		}
	}
}

// group is a command that only has subcommands.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.AddCommand(subcommands...)
	wantSubcommand(cmd)
	return cmd
}

// wantSubcommand makes a missing or unknown subcommand a usage error, because cobra itself
// prints help then, and returns success.
func wantSubcommand(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		return unknownCommand(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cmd.SetOut(cmd.ErrOrStderr())
		_ = cmd.Help() // writes to stderr
		return usagef("name a command")
	}
}
