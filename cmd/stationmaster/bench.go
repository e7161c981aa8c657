package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/internal/bench"
)

// benchPart is the command by which bench runs the parts of an installation as processes of
// their own.
const benchPart = "bench-part"

func newBenchPart() *cobra.Command {
	return &cobra.Command{
		Use:    benchPart + " ROLE",
		Short:  "One part of an installation that bench measures",
		Hidden: true,
		Args:   takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bench.Part(cmd.Context(), args[0], cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

func newBench() *cobra.Command {
	var o bench.Options
	var cpuProfile, memProfile string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure it beside the bare engine, on this machine",
		Long: `Measure what this machine makes of Stationmaster, and what it makes of the same
pattern written directly on nats-server, by turns: only the ratio of two figures of
one run means anything. All of it takes an hour; --duration 5s makes it shorter.

Of executions a second those count whose result was heard and is stored within the
measured time, as seen from outside. While a backlog grows there is no rate.

Sections: ` + strings.Join(bench.Sections(), ", ") + `.`,
		Example: `  stationmaster bench
  stationmaster bench --only throughput --rounds 1 --dir /var/lib
  stationmaster bench --only curve --picture curve.svg
  stationmaster bench --only throughput --rounds 1 --no-bare --cpuprofile cpu.prof`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
			program, err := os.Executable()
			if err != nil {
				return err
			}
			o.Serve = func(ctx context.Context, store string, flags ...string) *exec.Cmd {
				args := append([]string{"serve", "--data-dir", store, "--nats-listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"}, flags...)
				return exec.CommandContext(ctx, program, args...)
			}
			o.Part = func(ctx context.Context, role string) *exec.Cmd {
				return exec.CommandContext(ctx, program, benchPart, role)
			}
			return profiled(cpuProfile, memProfile, func() error {
				return measure(cmd.Context(), cmd.OutOrStdout(), o)
			})
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	listVar(fs, &o.Only, "only", "`sections` to run, with commas (default: all)")
	fs.StringVar(&o.Dir, "dir", "", "`folder` on the disk that is measured (default: the system's temporary one)")
	fs.IntVar(&o.Rounds, "rounds", 0, "how often each is measured (default 3); medians are shown")
	durationVar(fs, &o.Duration, "duration", 0, "how long rates are counted (default: a minute for the highest ones, else as long as each section needs)")
	fs.BoolVar(&o.NoBare, "no-bare", false, "leave the bare engine out")
	fs.StringVar(&o.Picture, "picture", "", "write the curve of section curve to a `file`, as SVG")
	fs.StringVar(&cpuProfile, "cpuprofile", "", "write a profile of CPU use to a `file`")
	fs.StringVar(&memProfile, "memprofile", "", "write a profile of allocations to a `file`")
	return cmd
}

func measure(ctx context.Context, w io.Writer, o bench.Options) error {
	err := bench.Run(ctx, w, o)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// profiled runs f, and writes the requested profiles.
func profiled(cpuProfile, memProfile string, f func() error) (err error) {
	if cpuProfile != "" {
		file, failed := os.Create(cpuProfile)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		if err := pprof.StartCPUProfile(file); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := f(); err != nil || memProfile == "" {
		return err
	}
	file, err := os.Create(memProfile)
	if err != nil {
		return err
	}
	runtime.GC() // the heap profile is as of the last collection
	return errors.Join(pprof.Lookup("allocs").WriteTo(file, 0), file.Close())
}
