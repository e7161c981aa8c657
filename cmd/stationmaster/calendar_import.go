package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/internal/ical"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newCalendarImport(a *asker) *cobra.Command {
	var id, timezone string
	var put calendarPutting
	cmd := &cobra.Command{
		Use:   "import FILE [--id ID]",
		Short: "Put the days of an iCalendar file as a calendar",
		Long: `Put the days of an iCalendar file (.ics) as a calendar, in place of the one that there is: its
events of whole days, with their yearly, monthly and weekly repetitions. A repetition without an
end becomes a rule, one with an end dates. Unusable events are left out, and shown on stderr.
A file in JSON is taken as "calendar put" takes it.`,
		Example: `  stationmaster calendar import holidays.ics --id de-holidays
  stationmaster calendar import deploy/calendars/us-federal.json`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			calendar, err := readCalendar(cmd, args[0])
			if err != nil {
				return err
			}
			if id != "" {
				calendar.CalendarID = id
			}
			if timezone != "" {
				calendar.Timezone = timezone
			}
			if wrong := calendar.Check(); len(wrong) > 0 {
				return wrong
			}
			record, err := wire.ValueOf(wire.JSON, calendar)
			if err != nil {
				return err
			}
			return put.send(cmd, a, record, ", "+entriesOf(calendar))
		},
	}
	put.flags(cmd)
	cmd.Flags().StringVar(&id, "id", "", "the calendar's `id` (default: the file's name)")
	cmd.Flags().StringVar(&timezone, "timezone", "", "`zone` of its days (default: the plan's)")
	complete(cmd, "timezone", completeZone)
	return cmd
}

// readCalendar reads a file, and reports its unusable events.
func readCalendar(cmd *cobra.Command, name string) (*schema.Calendar, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read a calendar: %w", err)
		}
		defer file.Close() //nolint:errcheck // it was only read
		in = file
	}
	body, err := io.ReadAll(io.LimitReader(in, ical.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if kind, number := fileKindOf(body); kind != (fileKind{}) && kind != kindCalendar {
		return nil, usagef("%s: line %d begins %s, which %q reads; here a file is an iCalendar, or a calendar in JSON", name, number, kind.is, kind.reads)
	}
	base := filepath.Base(name)
	calendar := &schema.Calendar{CalendarID: strings.TrimSuffix(base, filepath.Ext(base))}
	if text := bytes.TrimSpace(body); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		calendar, err := readCalendarJSON(body)
		if err != nil {
			return nil, &inFile{name, err}
		}
		return calendar, nil
	}
	var left []ical.Left
	calendar.Days, calendar.Except, left, err = ical.Read(body)
	for _, l := range left {
		cmd.PrintErrf("%s, %s\n", name, l)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return calendar, nil
}

// readCalendarJSON reads a calendar as calendars.put takes it.
func readCalendarJSON(body []byte) (*schema.Calendar, error) {
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(new(json.RawMessage)); errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("it is JSON that ends too early: a brace, a bracket or a quote is missing at its end")
	}
	v, err := wire.ScanAs(wire.JSON, body, wire.Limits{Items: 20 * schema.MaxCalendarEntries})
	if err != nil {
		return nil, fmt.Errorf("it is no calendar in JSON: %w", err)
	}
	return schema.ParseCalendar(v)
}
