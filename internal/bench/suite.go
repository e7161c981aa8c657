package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Options select the measurements. The zero value selects all of them.
type Options struct {
	// Only names the sections to run, of those in Sections; empty: all of them.
	Only []string
	// Rounds is the number of times that ours and the yardstick are measured in turn;
	// the medians are shown. Zero means 3.
	Rounds int
	// Duration is the time for which rates are counted. Zero means as long as each
	// section needs.
	Duration time.Duration
	// NoBare leaves the yardsticks out, for a profile of the product alone.
	NoBare bool
	// Dir is the parent of the stores, each of which has a folder of its own that is
	// removed afterwards. Its disk is the one measured. Empty: the system's temporary
	// folder.
	Dir string
	// Serve runs nodes in processes of their own. Nil: the sections that need one are left
	// out.
	Serve Serve
	// Part returns the command that runs this program as [Part] with a role. Nil: the
	// sections that need processes of their own are left out.
	Part func(ctx context.Context, role string) *exec.Cmd
	// Picture is the file that gets the curve of section curve as SVG; empty: none.
	Picture string
	// Log gets the logs of nodes and workers, and the name of the section that runs.
	// Nil: slog.Default().
	Log *slog.Logger
}

// Serve returns the command that runs the program in a process of its own, on a store and
// on any free ports, with more flags of `serve`, logging to stderr as text; it is killed, at
// the latest when ctx ends.
type Serve func(ctx context.Context, store string, flags ...string) *exec.Cmd

// A section measures one thing and adds its rows to the suite's report.
type section struct {
	name string
	run  func(*suite, context.Context) error
}

var sections = []section{
	{"throughput", (*suite).throughput},
	{"deployed", (*suite).deployed},
	{"curve", (*suite).curve},
	{"cluster", (*suite).cluster},
	{"beyond", (*suite).beyond},
	{"accuracy", (*suite).accuracy},
	{"burst", (*suite).burst},
	{"http", (*suite).http},
	{"creates", (*suite).creates},
	{"import", (*suite).imports},
	{"memory", (*suite).memory},
	{"restart", (*suite).restart},
	{"hostile", (*suite).hostile},
	{"queue", (*suite).queue},
	{"tasks", (*suite).tasks},
	{"console", (*suite).console},
}

// Sections are the names that Options.Only knows, in the order in which they run.
func Sections() []string {
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.name
	}
	return names
}

// A suite is one run of the sections.
type suite struct {
	Options
	report  Report
	highest *float64      // of highestRate, once it was measured
	calm    time.Duration // p99 of an append to the disk at the beginning
	steals  []string      // the time that the host took during each section
	paces   []string      // the time of a fixed piece of work in each section
	pace    samples       // the same for the rounds of this section so far, in ms
}

// Run measures the product beside the bare engine, section after section, each with
// servers and stores of its own, and prints the report to w. Its error joins those of the
// sections that could not be measured, or failed their own checks; the others are printed
// all the same.
func Run(ctx context.Context, w io.Writer, o Options) error {
	for _, name := range o.Only {
		if !slices.Contains(Sections(), name) {
			return fmt.Errorf("there is no section %q; there are %s", name, strings.Join(Sections(), ", "))
		}
	}
	if o.Rounds < 0 || o.Duration < 0 {
		return fmt.Errorf("rounds %d and duration %v must not be negative", o.Rounds, o.Duration)
	}
	if o.Rounds == 0 {
		o.Rounds = 3
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	s := &suite{Options: o}
	failed := s.runAll(ctx)
	if len(s.report.Rows) == 0 {
		return failed
	}
	s.note("Of executions a second only those count whose result was received by an observer, and is stored, within the measured time, as both are seen from outside; where more of them were behind at its end than at its begin, beyond those under way and a quarter of a second's results, which may gather for one batch, there is no rate.")
	s.note("Server, scheduler, worker and publishers share these CPUs, in one process, on stores in %s.", o.Dir)
	s.note("Every write of ours is synced before it counts (--sync always); of bare, every append to the journal, and its results where it says so.")
	s.note("Memory and the curve are measured once; else these are medians of %d, ours and bare by turns; a ratio is the median of the rounds' own.", s.Rounds)
	if len(s.steals) > 0 {
		s.note("Of these CPUs' time, the host gave to other guests meanwhile: %s.", strings.Join(s.steals, ", "))
	}
	if len(s.paces) > 0 {
		s.note("Before each round, a fixed piece of work took these CPUs, in ms: %s.", strings.Join(s.paces, ", "))
	}
	return errors.Join(failed, s.report.Print(w))
}

// runAll runs the selected sections, in a folder that is removed afterwards.
func (s *suite) runAll(ctx context.Context) (err error) {
	s.Dir, err = os.MkdirTemp(s.Dir, "stationmaster-bench-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.Dir)) }()
	if err := s.disk(ctx); err != nil {
		return err
	}
	for _, section := range sections {
		if len(s.Only) > 0 && !slices.Contains(s.Only, section.name) {
			continue
		}
		s.Log.Info("measuring", "section", section.name)
		if failed := s.runOne(ctx, section); failed != nil {
			err = errors.Join(err, fmt.Errorf("measure %s: %w", section.name, failed))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return err
}

// runOne runs a section, and notes the part of its time that the host took, and the speed of the
// processors, because a slower program would otherwise look like a busier host.
func (s *suite) runOne(ctx context.Context, section section) error {
	began := time.Now()
	before, known := stolen()
	s.pace = nil
	err := section.run(s, ctx)
	if len(s.pace) > 0 {
		s.paces = append(s.paces, fmt.Sprintf("%s %.2f to %.2f", section.name, slices.Min(s.pace), slices.Max(s.pace)))
	}
	if after, _ := stolen(); known {
		share := float64(after-before) / float64(time.Since(began)) / float64(runtime.NumCPU())
		s.steals = append(s.steals, fmt.Sprintf("%s %.0f %%", section.name, 100*share))
	}
	return err
}

// lasting returns the time for which a rate is counted.
func (s *suite) lasting(usual time.Duration) time.Duration {
	if s.Duration != 0 {
		return s.Duration
	}
	return usual
}

func (s *suite) row(figure string, ours, bare samples, target string) {
	s.report.Rows = append(s.report.Rows, Row{figure, ours.median(), bare.median(), ours.over(bare), target})
}

func (s *suite) note(format string, args ...any) {
	s.report.Notes = append(s.report.Notes, fmt.Sprintf(format, args...))
}

// alternate measures ours and the yardsticks in turn, so that all run on the same machine, and
// none suffers from the disk writes that another has left.
func (s *suite) alternate(ctx context.Context, ours func() error, bare ...func() error) error {
	turns := []func() error{ours}
	if !s.NoBare {
		turns = append(turns, bare...)
	}
	for range s.Rounds {
		for _, measure := range turns {
			if err := s.settle(ctx); err != nil {
				return err
			}
			if err := measure(); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle waits until the disk has done its pending work, above all the removal of the store
// before, for at most ten seconds, because other programs may use the disk. Then it measures
// the speed of the processors.
func (s *suite) settle(ctx context.Context) error {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		took, err := disk(ctx, s.Dir, 250*time.Millisecond)
		if err != nil {
			return fmt.Errorf("wait for the disk: %w", err)
		}
		if took.quantile(0.99) <= 2*s.calm {
			break
		}
	}
	s.pace.add(millis(pace()))
	return nil
}

// samples are the values of one figure, by round.
type samples []float64

func (s *samples) add(v float64) { *s = append(*s, v) }

// measured returns the values of the rounds with a figure.
func (s samples) measured() samples {
	return slices.DeleteFunc(slices.Clone(s), func(v float64) bool { return v == 0 })
}

// median returns the median of the rounds with a figure, and 0 when there are none.
func (s samples) median() float64 {
	sorted := slices.Sorted(slices.Values(s.measured()))
	if len(sorted) == 0 {
		return 0
	}
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// over returns the median of the rounds' ratios, which is steadier than the ratio of the medians,
// because a machine that is slow for a while is slow for both turns of a round. It is 0 when no
// round has both figures.
func (s samples) over(bare samples) float64 {
	if len(bare) == 0 {
		return 0
	}
	ratios := make(samples, len(s))
	for i := range s {
		if bare[i] != 0 {
			ratios[i] = s[i] / bare[i]
		}
	}
	return ratios.median()
}

// micros and millis are durations in the units of the report.
func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
