// Command stationmaster-bench measures the program stationmaster beside the bare engine, on
// this machine. It is a program of its own because operators of a scheduler do not need it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/stationmaster-io/stationmaster/internal/bench"
	"github.com/stationmaster-io/stationmaster/internal/node"
)

// partCommand is the first argument of a process that is one part of an installation; the
// second is its role.
const partCommand = "part"

func main() {
	node.Tune() // because most sections measure a node in this process
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case ctx.Err() != nil:
		fail("interrupted")
	default:
		fail(err.Error())
	}
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, "error:", why)
	os.Exit(1)
}

// run is the program without its process.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 2 && args[0] == partCommand {
		return bench.Part(ctx, args[1], stdin, stdout)
	}
	m, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if err := m.find(); err != nil {
		return err
	}
	return m.profiles.around(func() error { return bench.Run(ctx, stdout, m.Options) })
}

// A measurement is the request of a command line.
type measurement struct {
	bench.Options
	program  string // that is measured
	profiles profiles
}

const about = `Measure the performance of Stationmaster on this machine, and that of the same
pattern written directly on nats-server, by turns: only the ratio of two figures of
one run means anything. All of it takes an hour; --duration 5s makes it shorter.

Of executions a second those count whose result was received and is stored within the
measured time, as seen from outside. While a backlog grows there is no rate.

Usage:
  stationmaster-bench [flags]

Examples:
  stationmaster-bench --program dist/stationmaster
  stationmaster-bench --only throughput --rounds 1 --dir /var/lib
  stationmaster-bench --only curve --picture curve.svg
  stationmaster-bench --only throughput --rounds 1 --no-bare --cpuprofile cpu.prof

Sections: %s.

Flags:
`

func parse(args []string, stderr io.Writer) (m measurement, err error) {
	fs := flag.NewFlagSet("stationmaster-bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintf(stderr, about, strings.Join(bench.Sections(), ", "))
		fs.PrintDefaults()
	}
	fs.StringVar(&m.program, "program", "stationmaster", "the `program` that is measured where a section needs processes: a path, or a name that PATH knows")
	fs.Func("only", "`sections` to run, with commas (default: all)", func(text string) error {
		m.Only = append(m.Only, strings.Split(text, ",")...)
		return nil
	})
	fs.StringVar(&m.Dir, "dir", "", "`folder` on the disk that is measured (default: the system's temporary one)")
	fs.IntVar(&m.Rounds, "rounds", 3, "how often each is measured; medians are shown")
	fs.DurationVar(&m.Duration, "duration", 0, "how long rates are counted (default: a minute for the highest ones, else as long as each section needs)")
	fs.BoolVar(&m.NoBare, "no-bare", false, "leave the bare engine out")
	fs.StringVar(&m.Picture, "picture", "", "write the curve of section curve to a `file`, as SVG")
	fs.StringVar(&m.profiles.cpu, "cpuprofile", "", "write a profile of CPU use to a `file`")
	fs.StringVar(&m.profiles.memory, "memprofile", "", "write a profile of allocations to a `file`")
	if err := fs.Parse(args); err != nil {
		return m, err
	}
	if fs.NArg() > 0 {
		return m, fmt.Errorf("%q is one argument too many", fs.Arg(0))
	}
	m.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return m, nil
}

// find finds the programs that run as processes of their own. One is measured, and this one
// provides its surroundings.
func (m *measurement) find() error {
	measured, err := exec.LookPath(m.program)
	if err != nil {
		return fmt.Errorf("find the program to measure (--program): %w", err)
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	m.Serve = func(ctx context.Context, store string, flags ...string) *exec.Cmd {
		args := append([]string{"serve", "--data-dir", store, "--nats-listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"}, flags...)
		return exec.CommandContext(ctx, measured, args...)
	}
	m.Part = func(ctx context.Context, role string) *exec.Cmd {
		return exec.CommandContext(ctx, own, partCommand, role)
	}
	return nil
}
