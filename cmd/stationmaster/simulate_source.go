package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/internal/simulate"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// source reads the plans, and settles the time of the simulation.
func (s *simulating) source(cmd *cobra.Command, o *simulate.Options) (*simulate.Source, error) {
	var source *simulate.Source
	var err error
	otherwise := time.Now()
	switch {
	case s.backup != "":
		source, err = readBackupSource(cmd, s.backup)
	case s.live:
		source, err = s.liveSource(cmd, o)
	default:
		if source, err = s.fileSource(cmd, s.files); err == nil {
			err = fitForFiles(source, s.files)
		}
	}
	if err != nil {
		return nil, err
	}
	if !source.At.IsZero() {
		otherwise = source.At
	}
	if err := s.settle(o, otherwise); err != nil {
		return nil, err
	}
	if source.At.Sub(o.From) > mostBefore {
		return nil, usagef("--from %s is before %s, as of which the plans are taken, and they go on from there: give that time or a later one",
			s.from, source.At.UTC().Format(time.RFC3339))
	}
	if source.At.After(o.From) {
		cmd.PrintErrf("note: the plans are taken as they stood at %s, after --from\n", source.At.UTC().Format(time.RFC3339))
	}
	if s.backup == "" && !s.live && usesHistory(&o.Take) {
		cmd.PrintErrf("note: no results are known without --live, so that --take %s is %v\n", history, simulate.DefaultTake)
	}
	return source, nil
}

// mostBefore is how far --from may be before the plans were taken, because a scheduler refuses records
// that are further ahead of its clock.
const mostBefore = time.Hour

func usesHistory(t *simulate.Take) bool {
	for _, spread := range t.Stations {
		if spread == nil {
			return true
		}
	}
	return t.ByHistory
}

// fileSource reads files of apply.
func (s *simulating) fileSource(cmd *cobra.Command, files []string) (*simulate.Source, error) {
	var set manifest.Set
	var errs []error
	reader := s.applying
	reader.files = files
	for _, name := range files {
		errs = append(errs, reader.read(cmd, &set, name))
	}
	for _, note := range set.Notes {
		cmd.PrintErrln("note: " + note)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	source := &simulate.Source{}
	var err error
	if source.Calendars, err = calendarsOf(set.Calendars); err != nil {
		return nil, err
	}
	for _, v := range set.Stations {
		station, err := schema.ParseStation(v)
		if err != nil {
			return nil, err
		}
		source.Stations = append(source.Stations, station)
	}
	for _, v := range set.Plans {
		definition, err := schema.ParsePlan(v, shownPlan)
		if err != nil {
			return nil, err
		}
		source.Plans = append(source.Plans, simulate.Plan{Definition: definition})
	}
	return source, nil
}

// fitForFiles refuses files that name no plan, or a plan on a calendar that they lack.
func fitForFiles(s *simulate.Source, files []string) error {
	if len(s.Plans) == 0 {
		return usagef("%s: no plan or task is named there", manifest.Few(files))
	}
	return checkCalendars(s, "in "+manifest.Few(files))
}

// shownPlan accepts a plan as it is shown, without a command and with hidden headers.
var shownPlan = schema.ParseOptions{NoCommand: true, Shown: true}

// compared is the source that another one is compared with; nil: none.
func (s *simulating) compared(cmd *cobra.Command, with *simulate.Source) (*simulate.Source, error) {
	if len(s.compare) == 0 {
		return nil, nil
	}
	other, err := s.fileSource(cmd, s.compare)
	if err != nil {
		return nil, err
	}
	if s.backup == "" && !s.live {
		return other, fitForFiles(other, s.compare)
	}
	laid := *with
	laid.Changes, laid.CalendarChanges, laid.StationChanges = other.Plans, other.Calendars, other.Stations
	if len(laid.Changes)+len(laid.CalendarChanges)+len(laid.StationChanges) == 0 {
		return nil, usagef("%s: no calendar, station, plan or task is named there", manifest.Few(s.compare))
	}
	return &laid, checkCalendars(&laid, "in "+cmp.Or(s.backup, "the installation")+" or "+manifest.Few(s.compare))
}

// A copying turns the plans of a backup, or of an installation, into those of a source.
type copying struct {
	source simulate.Source
	queues int
}

// add adds a plan. A merge queue is left out, because its items come by requests.
func (c *copying) add(plan schema.PlanCopy) error {
	if plan.Inbox != nil {
		c.queues++
		return nil
	}
	value, err := plan.Definition()
	if err != nil {
		return err
	}
	definition, err := schema.ParsePlan(value, shownPlan)
	if err != nil {
		return err
	}
	c.source.Plans = append(c.source.Plans, simulate.Plan{Definition: definition, Record: plan.Record.In(wire.MsgPack)})
	return nil
}

func (c *copying) note(cmd *cobra.Command) {
	if c.queues > 0 {
		cmd.PrintErrf("note: %d merge queues are left out, because requests decide about them\n", c.queues)
	}
}

// readBackupSource reads a backup.
func readBackupSource(cmd *cobra.Command, name string) (*simulate.Source, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // it was only read
		in = file
	}
	buffered := bufio.NewReader(in)
	first, err := buffered.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var c copying
	if head, err := parseBackupLine(bytes.TrimSpace(first)); err == nil {
		c.source.At = head.Time
	}
	_, err = readBackup(io.MultiReader(bytes.NewReader(first), buffered), func(number int64, line *backupLine) error {
		var err error
		switch {
		case !line.Calendar.IsZero():
			err = c.addCalendars(line.Calendar)
		case !line.Station.IsZero():
			err = c.addStation(line.Station)
		default:
			err = c.add(line.PlanCopy)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.note(cmd)
	return &c.source, checkCalendars(&c.source, "in "+name)
}

func (c *copying) addCalendars(values ...wire.Value) error {
	calendars, err := calendarsOf(values)
	c.source.Calendars = append(c.source.Calendars, calendars...)
	return err
}

func (c *copying) addStation(v wire.Value) error {
	station, err := stationOf(v)
	if err == nil {
		c.source.Stations = append(c.source.Stations, station)
	}
	return err
}

// mostResults bounds the results that history reads of an installation.
const mostResults = 500_000

// liveSource reads a running installation.
func (s *simulating) liveSource(cmd *cobra.Command, o *simulate.Options) (*simulate.Source, error) {
	var c copying
	c.source.At = time.Now().UTC().Truncate(time.Millisecond)
	err := s.do(cmd, wire.MsgPack, func(ctx context.Context, asking *client.Client) error {
		calendars, err := manifest.Calendars(ctx, asking)
		if err == nil {
			err = c.addCalendars(calendars...)
		}
		if err != nil {
			return err
		}
		for station, err := range asking.Stations().All(ctx) {
			if err != nil {
				return err
			}
			c.source.Stations = append(c.source.Stations, &station)
		}
		for plan, err := range asking.Plans().Export(ctx) {
			if err == nil {
				err = c.add(plan)
			}
			if err != nil {
				return err
			}
		}
		if !usesHistory(&o.Take) {
			return nil
		}
		h := historyOf{}
		for result, err := range first(mostResults, asking.Runs().All(ctx, schema.ListRuns{})) {
			if err != nil {
				return err
			}
			h.add(&result)
		}
		o.Take.History = h
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.note(cmd)
	return &c.source, nil
}
