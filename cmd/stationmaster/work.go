package main

import (
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
	"github.com/stationmaster-io/stationmaster/worker/process"
)

func newWork() *cobra.Command {
	var conn connection
	var station, command string
	var fanout bool
	opts := worker.Options{Version: release()}
	cmd := &cobra.Command{
		Use:   "work --station STATION -- PROGRAM [ARGUMENT…]",
		Short: "Make any program a worker",
		Long: `Run a program once for each execution of a station.

The program reads the plan's messages on stdin, one per line: a text without a line
end as it is, all else as JSON. The headers of the execution are variables: PLAN_ID,
PLAN_COMMAND, PLAN_TIME, PLAN_KEY and others. What it prints on stdout is the content
of the result. Exit code 0 is ok; any other is an error, its text the end of stderr.
With --fanout that is this worker's vote.

SIGTERM or SIGINT ends it when the programs under way have ended.`,
		Example: `  stationmaster work --station hello -- sh -c 'read name; echo "hello $name"'
  stationmaster work --station backup --command nightly --concurrency 1 -- ./backup.sh`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return usagef("name a program to run, behind --")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := schema.CheckStation(station); err != nil {
				return usagef("--station %q %w", station, err)
			}
			opts.Prefix = conn.prefix
			opts.Logger = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			nc, err := conn.connect(cmd)
			if err != nil {
				return err
			}
			defer nc.Close()
			w, err := worker.New(nc, opts)
			if err != nil {
				return &usageError{err}
			}
			var options []worker.HandleOption
			if fanout {
				options = append(options, worker.Fanout())
			}
			w.Handle(station, command, process.Handler(args), options...)
			if err := w.Start(); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "working at station.%s as %s\n", station, w.ID())
			<-cmd.Context().Done()
			return w.Stop()
		},
	}
	conn.flags(cmd)
	cmd.Flags().StringVar(&station, "station", "", "station to work at")
	cmd.Flags().StringVar(&command, "command", "*", "take only this command of it")
	cmd.Flags().BoolVar(&fanout, "fanout", false, "take every execution, not a share of them: for stations of kind vote and pub")
	cmd.Flags().StringVar(&opts.ID, "id", "", "name of this worker (default: made up)")
	cmd.Flags().IntVar(&opts.Concurrency, "concurrency", runtime.NumCPU(), "how many programs run at once")
	cmd.Flags().DurationVar(&opts.DrainTimeout, "drain-timeout", 30*time.Second, "how long programs may take to end after a signal")
	return cmd
}
