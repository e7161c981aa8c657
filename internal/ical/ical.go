// Package ical reads iCalendar files (RFC 5545) as calendars: the events of whole days, with their
// yearly, monthly and weekly repetitions.
//
// Rules without an end become rules of the calendar, which have no beginning; those with an end
// become dates. Entries that it cannot use are left out and reported. It may not know the scheduler.
package ical

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/stationmaster-io/stationmaster/schema"
)

// MaxBytes bounds a file.
const MaxBytes = 1 << 20

// A Left is an event, or a part of one, that a calendar cannot have.
type Left struct {
	Line   int    // of the file, from 1
	Reason string // why, in words
}

// String is the line with the reason.
func (l Left) String() string { return fmt.Sprintf("line %d: %s", l.Line, l.Reason) }

var errNothing = errors.New("it has no event of whole days that could be used")

// Read returns the days of a file, and its unusable parts, in the order of the file. The error is
// that it is no iCalendar file, is too large, or that nothing of it could be used.
func Read(file []byte) (days, except []schema.CalendarDay, left []Left, err error) {
	if len(file) > MaxBytes {
		return nil, nil, nil, fmt.Errorf("the file has %d bytes; at most %d are read", len(file), MaxBytes)
	}
	parsed, err := ics.ParseCalendar(bytes.NewReader(file))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("read an iCalendar file: %w", err)
	}
	places := linesOf(file)
	for i, event := range parsed.Events() {
		r := reader{line: map[string]int{"BEGIN": 1}}
		if i < len(places) {
			r.line = places[i]
		}
		r.event(event)
		days, except, left = append(days, r.days...), append(except, r.except...), append(left, r.left...)
	}
	if len(days) == 0 {
		return nil, nil, left, errNothing
	}
	if n := len(days) + len(except); n > schema.MaxCalendarEntries {
		return nil, nil, left, fmt.Errorf("it makes %d entries; a calendar has %d at most", n, schema.MaxCalendarEntries)
	}
	return days, except, left, nil
}

// linesOf has for each event the first lines of its properties.
func linesOf(file []byte) (events []map[string]int) {
	lines := bufio.NewScanner(bytes.NewReader(file))
	lines.Buffer(nil, MaxBytes+1)
	for n := 1; lines.Scan(); n++ {
		text := strings.ToUpper(strings.TrimSpace(lines.Text()))
		if text == "BEGIN:VEVENT" {
			events = append(events, map[string]int{})
		}
		if len(events) == 0 {
			continue
		}
		name := text
		if end := strings.IndexAny(text, ":;"); end >= 0 {
			name = text[:end]
		}
		if within := events[len(events)-1]; within[name] == 0 {
			within[name] = n
		}
	}
	return events
}

// A reader reads one event.
type reader struct {
	line         map[string]int
	name         string
	start        time.Time // of its first day, in UTC
	length       int       // in days
	days, except []schema.CalendarDay
	left         []Left
}

func (r *reader) leave(property, format string, args ...any) {
	line := r.line[property]
	if line == 0 {
		line = r.line["BEGIN"]
	}
	reason := fmt.Sprintf(format, args...)
	if r.name != "" {
		reason = r.name + " " + reason
	}
	r.left = append(r.left, Left{line, reason})
}

func (r *reader) event(event *ics.VEvent) {
	all := map[string][]ics.IANAProperty{}
	for _, p := range event.Properties {
		name := strings.ToUpper(p.IANAToken)
		all[name] = append(all[name], p)
	}
	if summary := all["SUMMARY"]; len(summary) > 0 {
		r.name = cleaned(ics.FromText(summary[0].Value))
	}
	switch {
	case len(all["DTSTART"]) != 1:
		r.leave("BEGIN", "has no beginning (DTSTART)")
		return
	case len(all["STATUS"]) > 0 && strings.EqualFold(all["STATUS"][0].Value, "CANCELLED"):
		r.leave("STATUS", "is cancelled")
		return
	case len(all["RECURRENCE-ID"]) > 0:
		r.leave("RECURRENCE-ID", "changes one day of a repetition, which is not read")
		return
	}
	var ok bool
	if r.start, ok = dateOf(all["DTSTART"][0].Value); !ok {
		r.leave("DTSTART", "is no event of whole days: it begins at %s", shorten(all["DTSTART"][0].Value))
		return
	}
	if r.length, ok = r.spanOf(all); !ok {
		return
	}
	switch rules := all["RRULE"]; {
	case len(rules) == 0:
		r.date(r.start)
	case len(rules) > 1:
		r.leave("RRULE", "has several repetitions")
	default:
		r.repeat(rules[0].Value)
	}
	if len(all["RDATE"]) > 0 {
		r.eachDate("RDATE", all["RDATE"], r.date)
	}
	if len(r.days) > 0 {
		r.eachDate("EXDATE", all["EXDATE"], func(at time.Time) {
			r.except = append(r.except, r.entry(schema.CalendarDay{}, at))
		})
	}
}

// mostDays bounds the length of an event.
const mostDays = 366

// spanOf returns how many days an event has.
func (r *reader) spanOf(all map[string][]ics.IANAProperty) (int, bool) {
	switch end, span := all["DTEND"], all["DURATION"]; {
	case len(end) > 0:
		at, ok := dateOf(end[0].Value)
		days := int(at.Sub(r.start) / (24 * time.Hour))
		if !ok || days < 1 || days > mostDays {
			r.leave("DTEND", "ends at %s; it takes a day after the first, a year later at most", shorten(end[0].Value))
			return 0, false
		}
		return days, true
	case len(span) > 0:
		var n int
		var unit string
		if _, err := fmt.Sscanf(span[0].Value, "P%d%1s", &n, &unit); err == nil && n > 0 && n <= mostDays && (unit == "D" || unit == "W" && n <= 52) {
			if unit == "W" {
				n *= 7
			}
			return n, true
		}
		r.leave("DURATION", "has a length of %s; it takes days or weeks", shorten(span[0].Value))
		return 0, false
	}
	return 1, true
}

// date adds the event on a day.
func (r *reader) date(at time.Time) {
	r.days = append(r.days, r.entry(schema.CalendarDay{Name: r.name}, at))
}

// entry makes d the days of the event from one on.
func (r *reader) entry(d schema.CalendarDay, at time.Time) schema.CalendarDay {
	d.Date = at.Format(time.DateOnly)
	if r.length > 1 {
		d.Until = at.AddDate(0, 0, r.length-1).Format(time.DateOnly)
	}
	return d
}

func (r *reader) eachDate(property string, of []ics.IANAProperty, do func(time.Time)) {
	for _, p := range of {
		for text := range strings.SplitSeq(p.Value, ",") {
			if at, ok := dateOf(text); ok {
				do(at)
			} else {
				r.leave(property, "names %s, which is no day", shorten(text))
			}
		}
	}
}

// dateOf reads YYYYMMDD.
func dateOf(text string) (time.Time, bool) {
	at, err := time.Parse("20060102", strings.TrimSpace(text))
	return at, err == nil && at.Year() >= 1970
}

func shorten(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}

// cleaned is a summary as the name of a day.
func cleaned(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "")
	}
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, text)
}

var weekdays = []string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}

// weekdayOf is the name of a day in a calendar.
func weekdayOf(two string) (string, bool) {
	i := slices.Index(weekdays, two)
	return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun", ""}[max(i, 0)], i >= 0
}
