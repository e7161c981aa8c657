package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A backup is a file of JSON lines: a head, the stations, the plans with their records or
// the items of their inboxes, and an end, without which it was cut off. A definition that
// is not JSON on one line is stored in base64, so that it comes back byte for byte, and so
// are items.

// backupKind and backupVersion are in the head. A file of another version is refused,
// because its records may have other meanings.
const (
	backupKind    = "export"
	backupVersion = 1
	// longestBackupLine holds the largest definition in base64, with its record.
	longestBackupLine = 2 << 20
)

// A backupLine is any line of a backup.
type backupLine struct {
	// The head.
	Kind         string    `json:"stationmaster,omitempty"`
	Version      int64     `json:"version,omitempty"`
	Time         time.Time `json:"time,omitzero"`
	Installation *string   `json:"installation,omitempty"` // its prefix

	Calendar wire.Value `json:"calendar,omitzero"`
	Station  wire.Value `json:"station,omitzero"`
	schema.PlanCopy
	End *backupCount `json:"end,omitempty"`
}

// A backupCount counts the contents of a backup, or the results of a restore.
type backupCount struct {
	Calendars int64 `json:"calendars,omitempty"`
	Stations  int64 `json:"stations"`
	Plans     int64 `json:"plans"`
	Items     int64 `json:"items,omitempty"` // that wait in inboxes
}

// isPlan reports whether a line holds a plan or items of one. The other lines hold stations,
// calendars and the like, which plans name.
func (l *backupLine) isPlan() bool { return l.Calendar.IsZero() && l.Station.IsZero() }

// add counts a line. A plan whose items take several is counted with the first.
func (c *backupCount) add(l *backupLine) {
	switch {
	case !l.Calendar.IsZero():
		c.Calendars++
	case !l.Station.IsZero():
		c.Stations++
	case l.Items == nil:
		c.Plans++
	default:
		if !l.Items.Goes {
			c.Plans++
		}
		c.Items += itemsIn(l.PlanCopy)
	}
}

func (c backupCount) String() string {
	if c.Calendars > 0 {
		rest := c
		rest.Calendars = 0
		return fmt.Sprintf("%d calendars, %s", c.Calendars, rest)
	}
	if c.Items == 0 {
		return fmt.Sprintf("%d stations and %d plans", c.Stations, c.Plans)
	}
	return fmt.Sprintf("%d stations and %d plans with %d items", c.Stations, c.Plans, c.Items)
}

// orNone is the text of a count without items, or none.
func (c backupCount) orNone() string {
	if c.Items = 0; c == (backupCount{}) {
		return "none"
	}
	return c.String()
}

// itemsIn counts the items of a line; a value that is no list has none.
func itemsIn(p schema.PlanCopy) int64 {
	if p.Items == nil {
		return 0
	}
	list, err := p.Items.List()
	if err != nil {
		return 0
	}
	return int64(list.Len())
}

// inBackup returns p in the form of a line.
func inBackup(p schema.PlanCopy) (schema.PlanCopy, error) {
	p, err := p.In(wire.JSON)
	if err != nil {
		return p, err
	}
	if hasBreaks(p.Plan) {
		p.Raw, p.Encoding, p.Plan = p.Plan.Raw(), wire.JSON.String(), wire.Value{}
	}
	if in := p.Items; in != nil && (hasBreaks(in.Items) || hasBreaks(in.Data)) {
		in.Raw, in.RawData, in.Encoding = in.Items.Raw(), in.Data.Raw(), wire.JSON.String()
		in.Items, in.Data = wire.Value{}, wire.Value{}
	}
	return p, nil
}

// hasBreaks reports whether a value would be several lines.
func hasBreaks(v wire.Value) bool { return bytes.ContainsAny(v.Raw(), "\n\r") }

var errNoBackup = errors.New("it does not begin as a file of `stationmaster export` does; definitions alone are for `stationmaster plan import`")

// readBackup calls f with the lines of a backup between head and end, and their numbers
// from 1. An error of f ends it. It fails when the end is missing, or has other counts.
func readBackup(in io.Reader, f func(number int64, line *backupLine) error) (backupCount, error) {
	var had backupCount
	buffered := bufio.NewReaderSize(in, headBytes)
	if err := refuseOther(buffered, "here a backup of export is restored", kindBackup, kindPlans); err != nil {
		return had, err
	}
	scanner := bufio.NewScanner(buffered)
	scanner.Buffer(nil, longestBackupLine)
	ended := false
	number := int64(1)
	for ; scanner.Scan(); number++ {
		line, err := parseBackupLine(scanner.Bytes())
		switch {
		case number == 1 && (err != nil || line.Kind != backupKind):
			return had, errNoBackup
		case err != nil:
			return had, fmt.Errorf("line %d: %w", number, err)
		case number == 1 && line.Version != backupVersion:
			return had, fmt.Errorf("it is of version %d, and this release reads version %d", line.Version, backupVersion)
		case number == 1:
			continue
		case ended:
			return had, fmt.Errorf("line %d: there is more behind the end", number)
		case line.End != nil:
			if *line.End != had {
				return had, fmt.Errorf("line %d: there should be %s, and there are %s: lines are missing", number, line.End, had)
			}
			ended = true
			continue
		}
		had.add(line)
		if err := f(number, line); err != nil {
			return had, err
		}
	}
	if err := scanner.Err(); err != nil {
		return had, fmt.Errorf("read line %d of the backup: %w", number, err)
	}
	if !ended {
		return had, fmt.Errorf("it has no last line with the counts of its content: it was cut off after %s", had)
	}
	return had, nil
}

func parseBackupLine(text []byte) (*backupLine, error) {
	v, err := wire.ScanAs(wire.JSON, bytes.Clone(text), wire.Limits{Items: longestBackupLine, Depth: 40})
	if err != nil {
		return nil, err
	}
	line := &backupLine{}
	if err := wire.Decode(v, line); err != nil {
		return nil, err
	}
	return line, nil
}
