// Package ical reads iCalendar files (RFC 5545) as calendars: the events of whole days, with their
// yearly, monthly and weekly repetitions.
//
// Rules without an end become rules of the calendar, which have no beginning; those with an end
// become dates. Entries that it cannot use are left out and reported. It may not know the scheduler.
package ical

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// MaxBytes bounds a file.
	MaxBytes = 1 << 20
	// mostLeft bounds the parts that are reported as left out.
	mostLeft = 1000
)

// A Left is an event, or a part of one, that a calendar cannot have.
type Left struct {
	Line   int    // of the file, from 1
	Reason string // why, in words
}

// String is the line with the reason.
func (l Left) String() string { return fmt.Sprintf("line %d: %s", l.Line, l.Reason) }

var errNothing = errors.New("it has no event of whole days that could be used")

// Read returns the days of a file, and its unusable parts, in the order of the file. The error is
// that it is no iCalendar file, is too large, makes more entries than a calendar has, or that
// nothing of it could be used.
func Read(file []byte) (days, except []schema.CalendarDay, left []Left, err error) {
	all, err := read(file)
	if err != nil {
		return nil, nil, all.reported(), err
	}
	return all.days, all.except, all.reported(), nil
}

func read(file []byte) (*reading, error) {
	var all reading
	if len(file) > MaxBytes {
		return &all, fmt.Errorf("the file has more than %d bytes; at most so many are read", MaxBytes)
	}
	lines := linesOf(file)
	events, err := eventsOf(lines)
	if err != nil {
		return &all, err
	}
	all.zones(lines)
	for i := range events {
		r := reader{reading: &all, event: &events[i]}
		if r.read(); all.err != nil {
			return &all, all.err
		}
	}
	if len(all.days) == 0 {
		return &all, errNothing
	}
	return &all, nil
}

// A reading has the days of the events of a file so far.
type reading struct {
	days, except []schema.CalendarDay
	left         []Left
	more         int   // parts that are left out and not in left
	searched     int   // days on which repetitions were looked for
	err          error // the file is too large; nil: it is not
}

// zones reports the zones of the file, because a whole day has none of its own (RFC 5545, 3.3.4).
func (all *reading) zones(lines []line) {
	for _, l := range lines {
		if rest, is := cutName(l.text, "X-WR-TIMEZONE"); is && len(all.left) < mostLeft {
			all.left = append(all.left, Left{l.number, fmt.Sprintf(
				"X-WR-TIMEZONE %s is left out: whole days are those of each plan's zone, or of the zone that the calendar is given", shorten(rest[1:]))})
		}
	}
}

// reported are the parts that are left out, with the number of those behind the bound.
func (all *reading) reported() []Left {
	if all.more == 0 {
		return all.left
	}
	last := all.left[len(all.left)-1].Line
	return append(all.left, Left{last, fmt.Sprintf("%d more parts are left out from here on", all.more)})
}

// A reader reads one event.
type reader struct {
	*reading
	event  *event
	name   string
	start  time.Time // of its first day, in UTC
	length int       // in days
	made   int       // days of this event
}

// leave notes that a part of the event is left out, at a line of one of its properties; 0: at its
// first line.
func (r *reader) leave(line int, format string, args ...any) {
	if len(r.left) == mostLeft {
		r.more++
		return
	}
	if line == 0 {
		line = r.event.line
	}
	reason := fmt.Sprintf(format, args...)
	if r.name != "" {
		reason = r.name + " " + reason
	}
	r.left = append(r.left, Left{line, reason})
}

// refuse ends the reading at a line.
func (r *reader) refuse(line int, format string, args ...any) {
	if r.err == nil {
		r.err = lineErrorf(line, format, args...)
	}
}

func (r *reader) read() {
	if summary, is := r.event.first("SUMMARY"); is {
		r.name = cleaned(ics.FromText(summary))
	}
	all := r.event.properties
	switch status, _ := r.event.first("STATUS"); {
	case len(all["DTSTART"]) != 1:
		r.leave(0, "has no beginning (DTSTART), or several")
		return
	case len(all["RECURRENCE-ID"]) > 0:
		r.leave(all["RECURRENCE-ID"][0].line, "changes or cancels one day of a repetition (RECURRENCE-ID), which is not read")
		return
	case strings.EqualFold(status, "CANCELLED"):
		r.leave(all["STATUS"][0].line, "is cancelled")
		return
	}
	var ok bool
	if begin := all["DTSTART"][0]; !r.begins(begin.value) {
		r.leave(begin.line, "is no event of whole days: it begins at %s", shorten(begin.value))
		return
	}
	if r.length, ok = r.spanOf(); !ok {
		return
	}
	switch rules := all["RRULE"]; {
	case len(rules) == 0:
		r.date(r.event.line, r.start)
	case len(rules) > 1:
		r.leave(rules[1].line, "has several repetitions (RRULE)")
	default:
		r.repeat(rules[0])
	}
	r.eachDate("RDATE", r.date)
	if r.made > 0 {
		r.eachDate("EXDATE", func(line int, at time.Time) {
			if r.room(line) {
				r.except = append(r.except, r.entry(schema.CalendarDay{}, at))
			}
		})
	}
}

func (r *reader) begins(text string) (ok bool) {
	r.start, ok = dateOf(text)
	return ok
}

// mostDays bounds the length of an event.
const mostDays = 366

// spanOf returns how many days an event has.
func (r *reader) spanOf() (int, bool) {
	all := r.event.properties
	switch end, span := all["DTEND"], all["DURATION"]; {
	case len(end) > 0:
		at, ok := dateOf(end[0].value)
		days := int(at.Sub(r.start) / (24 * time.Hour))
		if !ok || days < 1 || days > mostDays {
			r.leave(end[0].line, "ends at %s; it takes a day after the first, a year later at most", shorten(end[0].value))
			return 0, false
		}
		return days, true
	case len(span) > 0:
		if n, ok := daysOf(span[0].value); ok {
			return n, true
		}
		r.leave(span[0].line, "has a length of %s; it takes days or weeks, such as P2D, up to %d days", shorten(span[0].value), mostDays)
		return 0, false
	}
	return 1, true
}

// daysOf reads a duration of days or weeks, such as P2D.
func daysOf(text string) (int, bool) {
	text, is := strings.CutPrefix(strings.TrimPrefix(strings.ToUpper(text), "+"), "P")
	number, weeks := strings.CutSuffix(text, "W")
	if !weeks {
		number, is = strings.CutSuffix(text, "D")
	}
	n, ok := numberOf(number, mostDays)
	if weeks {
		n *= 7
	}
	return n, is && ok && n > 0 && n <= mostDays
}

// room reports that the calendar has room for one entry more.
func (r *reader) room(line int) bool {
	if len(r.days)+len(r.except) < schema.MaxCalendarEntries {
		return true
	}
	r.refuse(line, "the file makes more than %d entries up to here, and a calendar has %d at most; leave out events that are over, or give repetitions a nearer UNTIL",
		schema.MaxCalendarEntries, schema.MaxCalendarEntries)
	return false
}

// add adds days of the event, which have its name.
func (r *reader) add(line int, d schema.CalendarDay) {
	if !r.room(line) {
		return
	}
	d.Name = r.name
	r.days = append(r.days, d)
	r.made++
}

// date adds the event on a day.
func (r *reader) date(line int, at time.Time) {
	r.add(line, r.entry(schema.CalendarDay{}, at))
}

// entry makes d the days of the event from one on.
func (r *reader) entry(d schema.CalendarDay, at time.Time) schema.CalendarDay {
	d.Date = at.Format(time.DateOnly)
	if r.length > 1 {
		d.Until = at.AddDate(0, 0, r.length-1).Format(time.DateOnly)
	}
	return d
}

// eachDate does something for each day that the properties of a name list.
func (r *reader) eachDate(name string, do func(line int, at time.Time)) {
	for _, p := range r.event.properties[name] {
		for text := range strings.SplitSeq(p.value, ",") {
			if r.err != nil {
				return
			}
			if at, ok := dateOf(text); ok {
				do(p.line, at)
			} else {
				r.leave(p.line, "names %s in %s, which is no day", shorten(text), name)
			}
		}
	}
}

// dateOf reads YYYYMMDD, of the years whose events end before 10000.
func dateOf(text string) (time.Time, bool) {
	at, err := time.Parse("20060102", strings.TrimSpace(text))
	return at, err == nil && at.Year() >= 1970 && at.Year() < 9999
}

// numberOf reads a number from 0 to most, in digits alone.
func numberOf(text string, most int) (n int, ok bool) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' || n > most {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, text != "" && n <= most
}

func shorten(text string) string {
	text = strings.Map(visible, strings.ToValidUTF8(text, "?"))
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// visible is a character that is no control character; negative: it is one.
func visible(c rune) rune {
	if c < ' ' || c == 0x7f {
		return -1
	}
	return c
}

// cleaned is a summary as the name of a day.
func cleaned(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "")
	}
	return strings.Map(visible, text)
}

var weekdays = []string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}

// weekdayOf is the name of a day in a calendar.
func weekdayOf(two string) (string, bool) {
	i := slices.Index(weekdays, two)
	return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun", ""}[max(i, 0)], i >= 0
}
