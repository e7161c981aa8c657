package main

import (
	"bufio"
	"bytes"
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
		source, err = s.fileSource(cmd, s.files)
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
	if source.At.After(o.From) {
		cmd.PrintErrf("note: the plans are taken as they stood at %s, after --from\n", source.At.UTC().Format(time.RFC3339))
	}
	if s.backup == "" && !s.live && usesHistory(&o.Take) {
		cmd.PrintErrf("note: no results are known without --live, so that --take %s is %v\n", history, simulate.DefaultTake)
	}
	return source, nil
}

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
	if len(source.Plans) == 0 {
		return nil, usagef("%s: no plan or task is named there", few(files))
	}
	return source, nil
}

// shownPlan takes plans as they are shown: without a command, and with hidden headers.
var shownPlan = schema.ParseOptions{NoCommand: true, Shown: true}

// compared is the source that another one is compared with; nil: none.
func (s *simulating) compared(cmd *cobra.Command, with *simulate.Source) (*simulate.Source, error) {
	if len(s.compare) == 0 {
		return nil, nil
	}
	other, err := s.fileSource(cmd, s.compare)
	if err != nil || s.backup == "" && !s.live {
		return other, err
	}
	laid := *with
	laid.Changes, laid.StationChanges = other.Plans, other.Stations
	return &laid, nil
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
		if line.Station.IsZero() {
			err = c.add(line.PlanCopy)
		} else {
			err = c.addStation(line.Station)
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
	return &c.source, nil
}

func (c *copying) addStation(v wire.Value) error {
	station, err := schema.ParseStation(v)
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
