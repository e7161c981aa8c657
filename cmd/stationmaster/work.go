package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/worker"
	"github.com/stationmaster-io/stationmaster/worker/process"
)

func newWork() *cobra.Command {
	var conn connection
	var station, command string
	var quiet bool
	var how servedHow
	opts := worker.Options{Version: release()}
	cmd := &cobra.Command{
		Use:   "work --station STATION -- PROGRAM [ARGUMENT…]",
		Short: "Make any program a worker",
		Long: `Run a program once for each execution of a station.

The program reads the plan's messages on stdin, and behind them the items of a queue
that are handed over, one per line: a text without a line end as it is, all else as JSON.
Exit code 0 completes those items. EXECUTION_COMMAND is the plan's command, and the headers
of the execution are variables, too: PLAN_ID, PLAN_TIME, PLAN_KEY and others (of them
PLAN_COMMAND is "proxy" for every execution). Variables STATIONMASTER_… it does not
inherit, because they may hold this worker's password. Its stdout is the content of the
result: of more than 256 KiB the end. Exit code 0 is ok; any other is an error,
its text the end of stderr and that code, with the output as its content.
With --fanout that is this worker's vote.

A station of kind pull is served with --pull: then the worker claims executions when it
has room for them, instead of being sent them. One of kind vote or pub is served with --fanout.
A worker that may read its station's kind warns when that does not fit, and one that may
list workers when its --id is there already. At http, queue
and the stations below callback the only worker is stationmaster itself.

An execution of any command goes to any worker of its station: with --command this
one answers those of another command with an error. Other programs need a station of
their own, such as backup.nightly and backup.weekly.

It ends with exit code 1 when its user may not subscribe to the station. SIGTERM or
SIGINT ends it when the programs under way have ended; none is run again after --retry-delay. After --drain-timeout they get
SIGTERM, and SIGKILL 5 s later: one that finishes and exits with 0 is ok, any other
is an error, which the plan's retry policy runs again. Ctrl-C after such a signal kills
them at once, with all that they started: their executions end with an error, and it
with exit code 1.`,
		Example: `  stationmaster work --station hello -- sh -c 'read name; echo "hello $name"'
  stationmaster work --station backup.nightly --concurrency 1 -- ./backup.sh
  stationmaster work --station resize --pull --tenant acme --retries 2 -- ./resize.sh`,
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at == 1 && station == "" {
				return usagef("--station is missing; if %q is the station, it is: stationmaster work --station %[1]s -- PROGRAM", args[0])
			}
			if len(args) == 0 || args[0] == "" {
				return usagef("name a program to run, behind --")
			}
			if err := process.Check(args[0]); err != nil {
				return &usageError{err}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkWork(station, command, opts.Concurrency, opts.Prefetch, &how); err != nil {
				return err
			}
			if cmd.Flags().Changed("id") && opts.ID == "" {
				return usagef("--id is empty, as an unset variable of the shell is: leave it out, or give a value")
			}
			options, err := how.options()
			if err != nil {
				return err
			}
			opts.Prefix = conn.prefix
			opts.Logger = logger(cmd)
			nc, err := conn.connect(cmd)
			if err != nil {
				return err
			}
			defer nc.Close()
			if err := receives(nc, conn.timeout); err != nil {
				return err
			}
			w, err := worker.New(nc, opts)
			if err != nil {
				return &usageError{err}
			}
			conn.user.self = w.ID()
			programs := newUnderWay()
			defer programs.now(nil)
			handler := programs.counted(process.Handler(args, process.KillAt(programs.kill)), how.retries)
			if !quiet {
				handler = noting(opts.Logger, handler)
			}
			w.Station(station, options...).Handle(command, handler, worker.Retries(how.retries, how.pause))
			asking := client.Options{Prefix: conn.prefix, Timeout: conn.timeout}
			if opts.ID != "" { // a made-up one has no other
				warn(cmd, namesake(cmd.Context(), nc, asking, opts.ID, station))
			}
			signals := make(chan os.Signal, 8)
			// A closed terminal ends it as any other signal does, so that running programs may
			// finish.
			signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer signal.Stop(signals)
			if err := w.Start(); err != nil {
				return err
			}
			ctx := cmd.Context()
			fmt.Fprintf(cmd.ErrOrStderr(), "working at station.%s as %s, on %s\n", station, w.ID(), node.External{URL: nc.ConnectedUrl()})
			warn(cmd, commandNote(station, command))
			warn(cmd, how.warning(ctx, nc, asking, station))
			return errors.Join(programs.end(cmd, w, nc, opts.DrainTimeout, signals), conn.user.why())
		},
	}
	conn.flags(cmd)
	cmd.Flags().StringVar(&station, "station", "", "station to work at")
	cmd.Flags().StringVar(&command, "command", anyCommand, "the only `command` of it that the program does; an execution of another ends with an error")
	how.flags(cmd)
	cmd.Flags().StringVar(&opts.ID, "id", "", "name of this worker (default: made up)")
	cmd.Flags().IntVar(&opts.Concurrency, "concurrency", runtime.NumCPU(), "how many programs run at once")
	cmd.Flags().IntVar(&opts.Prefetch, "prefetch", 0, "with --pull: how many executions are claimed that wait for their turn here")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "do not log executions")
	durationVar(cmd.Flags(), &opts.DrainTimeout, "drain-timeout", 30*time.Second, "how long programs may take to end after a signal")
	return cmd
}

// warn prints a warning on stderr, unless it is empty.
func warn(cmd *cobra.Command, warning string) {
	if warning != "" {
		cmd.PrintErrln(warning)
	}
}

// noting logs each execution at its end, with its outcome.
func noting(log *slog.Logger, handler worker.Handler) worker.Handler {
	return func(ctx context.Context, x *worker.Execution) (any, error) {
		began := time.Now()
		answer, err := handler(ctx, x)
		attrs := []any{"plan", x.Station + "/" + x.PlanID, "command", x.Command, "occurrence", x.Occurrence, "attempt", x.Attempt, "took", time.Since(began).Round(time.Millisecond)}
		if err != nil {
			attrs = append(attrs, "error", err)
		}
		log.Info("executed", attrs...)
		return answer, err
	}
}

// servedHow is how a station is served.
type servedHow struct {
	fanout, pull bool
	only         worker.Filter
	retries      int
	pause        time.Duration
}

func (h *servedHow) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&h.fanout, "fanout", false, "take every execution, not a share of them: for stations of kind vote and pub")
	cmd.Flags().BoolVar(&h.pull, "pull", false, "claim executions: for stations of kind pull")
	cmd.Flags().StringVar(&h.only.TenantID, "tenant", "", "with --pull: only plans with this tenant_id")
	cmd.Flags().StringVar(&h.only.Category, "category", "", "with --pull: only plans with this category")
	cmd.Flags().StringVar(&h.only.Caller, "caller", "", "with --pull: only plans with this caller")
	labelsVar(cmd.Flags(), &h.only.Labels, "label", "with --pull: only plans with this label, `NAME=VALUE`; repeat it for more")
	cmd.Flags().IntVar(&h.retries, "retries", 0, "how often a failing program is run again before the error is reported")
	durationVar(cmd.Flags(), &h.pause, "retry-delay", time.Second, "pause before a program is run again")
}

func (h *servedHow) options() ([]worker.StationOption, error) {
	filtered := h.only.TenantID != "" || h.only.Category != "" || h.only.Caller != "" || len(h.only.Labels) > 0
	switch {
	case h.pull && h.fanout:
		return nil, usagef("--pull and --fanout exclude each other: a claimed execution is for one worker")
	case filtered && !h.pull:
		return nil, usagef("--tenant, --category, --caller and --label narrow the claims of --pull")
	case h.pull:
		return []worker.StationOption{worker.Pull(h.only)}, nil
	case h.fanout:
		return []worker.StationOption{worker.Fanout()}, nil
	}
	return nil, nil
}
