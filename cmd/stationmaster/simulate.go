package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/internal/simulate"
)

// A simulating is one run of `simulate`.
type simulating struct {
	applying          // the files, read as apply does
	backup            string
	live              bool
	from              string
	span              time.Duration
	takes, workers    []string
	outages           []string
	fail              string
	compare           []string
	seed              uint64
	limit             int
	toJSON, csv, html string
}

// defaultSpan is the time that is simulated if none is given.
const defaultSpan = 7 * 24 * time.Hour

func newSimulate() *cobra.Command {
	var s simulating
	cmd := &cobra.Command{
		Use:   "simulate (-f FILE|DIR | --backup FILE | --live) [flags]",
		Short: "Run plans ahead of time, without effects",
		Long: `Run plans in virtual time, a year in seconds: with the scheduler's own state machine and
calendar, and workers that take as long as --take says. Nothing is sent and nothing is
changed. Plans come from files as "apply" takes them, created at --from; from a backup that
"export" wrote; or, with --live, from a running installation, which is only read. Plans of the
latter two go on from where they stand, also over the time until --from.

Occurrences of --from until --from plus --for begin, and each of them is followed to its
end. Shown are the executions by state, the skipped occurrences by reason, the most
executions under way at each station, the longest waits, the effects of clock changes and
calendars, the cost of an --outage under each catch_up, and with --compare the plans that
would differ with other files. With --live or --backup those files are laid over the plans,
as apply does.

Workers are as those of package worker and of "work": one that takes longer than exec_timeout
has the scheduler wait. An execution that finds the workers of --workers busy waits, and
counts as a timeout when start_timeout is over, as it does at a real worker's queue.

The same input, --from and --seed give the same output, byte for byte. "-" as a file is
stdout, in place of the summary.`,
		Example: `  stationmaster simulate -f deploy/ --from 2027-03-27 --for 3d --take 40s --take mail=10s..50s --workers mail=4 --outage 2027-03-28T01:00Z+2h
  stationmaster simulate --live --for 7d --take history --fail 1% --compare deploy-new/
  stationmaster simulate --backup backup.jsonl --for 365d --html year.html`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	s.connection.flags(cmd)
	fs := cmd.Flags()
	fs.StringArrayVarP(&s.files, "file", "f", nil, "`file` or folder of apply; several are allowed, - is YAML on stdin")
	fs.BoolVarP(&s.deep, "recursive", "R", false, "read the folders in a folder, too")
	fs.StringVar(&s.crontab.Station, "station", "", "`station` of crontab lines that are commands")
	fs.StringVar(&s.crontab.Timezone, "timezone", "", "`zone` of crontab lines above which no CRON_TZ stands (default: that of this machine)")
	fs.StringVar(&s.crontab.User, "user", "", "take the crontab lines of this `user`")
	fs.StringVar(&s.backup, "backup", "", "`file` that export wrote")
	fs.BoolVar(&s.live, "live", false, "read the plans of a running installation")
	timeVar(fs, &s.from, "from", "begin of the `time`, such as 2027-03-27, which is UTC (default: now; with --backup when it was written)")
	durationVar(fs, &s.span, "for", defaultSpan, "how long")
	fs.StringArrayVar(&s.takes, "take", nil, "how long executions take: `[STATION=]TIME`, a spread such as 10s..50s, or history: as the results that are kept (default 1s)")
	fs.StringArrayVar(&s.workers, "workers", nil, "executions that the workers of a station have at once, as `STATION=N` (default: enough)")
	fs.StringArrayVar(&s.outages, "outage", nil, "no scheduler acts, as `FROM+LENGTH`; several are allowed")
	fs.StringVar(&s.fail, "fail", "0%", "share of the executions that end in an error, as `P%`")
	fs.StringArrayVar(&s.compare, "compare", nil, "`file` or folder of apply to compare with; several are allowed")
	fs.Uint64Var(&s.seed, "seed", 1, "`number` that chooses durations and failures")
	s.limit = simulate.DefaultLimit
	fs.Var((*limitValue)(&s.limit), "limit", "most executions, after which it stops with exit code 1; 0: no limit")
	fs.StringVar(&s.toJSON, "json", "", "`file` to write the report to, as JSON")
	fs.StringVar(&s.csv, "csv", "", "`file` to write each result to, as CSV")
	fs.StringVar(&s.html, "html", "", "`file` to write the report to, as a page with pictures")
	return cmd
}

// errCut ends a simulation that stopped at its limit.
var errCut = errors.New("the simulation stopped at --limit, before its end; a higher --limit, or a shorter --for, shows the rest")

func (s *simulating) run(cmd *cobra.Command) error {
	options, err := s.options()
	if err != nil {
		return err
	}
	source, err := s.source(cmd, &options)
	if err != nil {
		return err
	}
	other, err := s.compared(cmd, source)
	if err != nil {
		return err
	}
	if err := checkStations(&options, source, other); err != nil {
		return err
	}
	report, err := s.simulate(cmd, source, other, options)
	if err != nil {
		return refusedInput(err)
	}
	if err := s.write(cmd, report); err != nil {
		return err
	}
	if report.Cut || report.Compare != nil && report.Compare.Cut {
		return errCut
	}
	return nil
}

// simulate runs the simulation of a source, and that of another one with which it is compared.
func (s *simulating) simulate(cmd *cobra.Command, source, other *simulate.Source, options simulate.Options) (report *simulate.Report, err error) {
	ctx := cmd.Context()
	if s.csv == "" {
		report, err = simulate.Run(ctx, source, options, nil)
	} else {
		err = s.writeTo(cmd, s.csv, func(w io.Writer) error {
			sink, flush := simulate.CSV(w)
			report, err = simulate.Run(ctx, source, options, sink)
			return errors.Join(err, flush())
		})
	}
	if err != nil || report.Cut {
		return report, err
	}
	if len(options.Outages) > 0 {
		if err := report.CatchUp(ctx, source, options); err != nil {
			return nil, err
		}
	}
	if other == nil {
		return report, nil
	}
	second, err := simulate.Run(ctx, other, options, nil)
	if err != nil {
		return nil, err
	}
	report.CompareWith(second)
	return report, nil
}

// refusedInput returns an error about a plan or station that is refused.
func refusedInput(err error) error {
	if refused, is := errors.AsType[*simulate.InputError](err); is {
		return refused
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("the simulation was interrupted")
	}
	return err
}

// write writes the report into the files that flags name, and to stdout where none does.
func (s *simulating) write(cmd *cobra.Command, r *simulate.Report) error {
	if s.toJSON != "" {
		if err := s.writeTo(cmd, s.toJSON, r.WriteJSON); err != nil {
			return err
		}
	}
	if s.html != "" {
		if err := s.writeTo(cmd, s.html, r.WriteHTML); err != nil {
			return err
		}
	}
	if s.stdouts() > 0 {
		return nil
	}
	return r.WriteText(cmd.OutOrStdout())
}

// stdouts is how many outputs go to stdout.
func (s *simulating) stdouts() (n int) {
	for _, name := range []string{s.toJSON, s.csv, s.html} {
		if name == "-" {
			n++
		}
	}
	return n
}

// writeTo writes a file, or stdout for "-".
func (s *simulating) writeTo(cmd *cobra.Command, name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(cmd.OutOrStdout())
	}
	if s.reads(name) {
		return usagef("%s is a file that was read, and would be replaced: name another one", name)
	}
	return writeOut(name, func(to io.Writer) error { return write(&reportFile{Writer: to, name: name}) })
}

// A reportFile refuses to take the place of a file that does not begin as the report does, because a
// wrong name would cost that file.
type reportFile struct {
	io.Writer
	name    string
	checked bool
}

func (f *reportFile) Write(p []byte) (int, error) {
	if !f.checked {
		f.checked = true
		// Reports of one form have their first eight bytes in common.
		was, err := headOf(f.name, 8)
		if err != nil {
			return 0, err
		}
		if !bytes.HasPrefix(p, was) {
			return 0, usagef("%s is no such report, and would be replaced: name another file, or remove it", f.name)
		}
	}
	return f.Writer.Write(p)
}

// reads reports whether a file is one of the input, or in a folder of it.
func (s *simulating) reads(name string) bool {
	is, err := os.Stat(name)
	if err != nil {
		return false
	}
	for _, input := range slices.Concat(s.files, s.compare, []string{s.backup}) {
		read, err := os.Stat(input)
		if err != nil {
			continue
		}
		kind := filepath.Ext(name)
		folder, err := os.Stat(filepath.Dir(name))
		if os.SameFile(read, is) || err == nil && os.SameFile(read, folder) && (kind == ".yaml" || kind == ".yml" || kind == ".crontab") {
			return true
		}
	}
	return false
}
