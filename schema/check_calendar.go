package schema

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ParseCalendar checks a calendar as calendars.put takes it; the meaning of a cron entry is left
// to the scheduler. The error is [Errors], with code invalid_request or too_large, and names the
// entry that is wrong by its place, from 1.
func ParseCalendar(v wire.Value) (*Calendar, error) {
	if size := len(v.Raw()); size > MaxCalendarBytes {
		return nil, Errors{{
			Code: CodeTooLarge, Message: fmt.Sprintf("the calendar has %d bytes; at most %d are taken", size, MaxCalendarBytes),
		}}
	}
	cal := new(Calendar)
	c := checker{code: CodeInvalidRequest}
	if err := wire.Decode(v, cal); err != nil {
		c.errs = WireErrors(CodeInvalidRequest, err)
	}
	c.calendar(cal)
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return cal, nil
}

// Check returns the errors of cal, as [ParseCalendar] does; nil when there are none.
func (cal *Calendar) Check() Errors {
	c := checker{code: CodeInvalidRequest}
	c.calendar(cal)
	return c.errs
}

func (c *checker) calendar(cal *Calendar) {
	if cal.CalendarID == "" {
		c.fail("calendar_id", "calendar_id is missing; it names the calendar in plans")
	} else if err := CheckID(cal.CalendarID); err != nil {
		c.fail("calendar_id", "calendar_id %v", err)
	}
	c.text("description", cal.Description, false)
	if cal.Timezone != "" {
		c.zone(cal.Timezone)
	}
	if n := len(cal.Days) + len(cal.Except) + len(cal.Windows); n > MaxCalendarEntries {
		c.failAs(CodeTooLarge, "days", "days, except and windows have %d entries; at most %d are taken", n, MaxCalendarEntries)
		return
	}
	for i := range cal.Days {
		c.calendarDay("days", i, &cal.Days[i])
	}
	for i := range cal.Except {
		c.calendarDay("except", i, &cal.Except[i])
	}
	for i := range cal.Windows {
		c.calendarWindow(i, &cal.Windows[i])
	}
}

// item notes that a member of the entry i of a list is wrong.
func (c *checker) item(list string, i int, member, format string, args ...any) {
	field := list
	if member != "" {
		field += "." + member
	}
	c.fail(field, "%s: item %d %s", field, i+1, fmt.Sprintf(format, args...))
}

func (c *checker) calendarDay(list string, i int, d *CalendarDay) {
	ways := 0
	for _, given := range [...]bool{d.Date != "", d.Yearly != "", d.Easter != nil, d.Weekday != "", d.Cron != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		c.item(list, i, "", "has %d of date, yearly, easter, weekday and cron; an entry has exactly one", ways)
		return
	}
	if d.Date != "" {
		c.date(list, i, "date", d.Date)
	}
	switch {
	case d.Until == "":
	case d.Date == "":
		c.item(list, i, "until", "has until without date; it is the last day from date on")
	case c.date(list, i, "until", d.Until) && d.Until < d.Date:
		c.item(list, i, "until", "is %s, before date %s", d.Until, shorten(d.Date))
	}
	if d.Yearly != "" {
		if _, _, ok := ParseYearly(d.Yearly); !ok {
			c.item(list, i, "yearly", "is %q; it takes a month and a day of it, such as 12-25", shorten(d.Yearly))
		}
	}
	if d.Easter != nil && (*d.Easter < -80 || *d.Easter > 80) {
		c.item(list, i, "easter", "is %d; it takes -80 to 80 days from Easter", *d.Easter)
	}
	if d.Weekday != "" {
		c.weekday(list, i, "weekday", d.Weekday)
	}
	if len(d.Cron) > MaxCron {
		c.item(list, i, "cron", "has %d bytes; at most %d are taken", len(d.Cron), MaxCron)
	}
	c.itemName(list, i, d.Name)
}

func (c *checker) itemName(list string, i int, name string) {
	switch at := strings.IndexFunc(name, isControl); {
	case len(name) > maxText:
		c.item(list, i, "name", "has %d bytes; at most %d are taken", len(name), maxText)
	case at >= 0:
		c.item(list, i, "name", "holds the control character %q, which is not allowed", name[at])
	}
}

func (c *checker) calendarWindow(i int, w *CalendarWindow) {
	from, isFrom := ParseClock(w.From)
	to, isTo := ParseClock(w.To)
	switch {
	case !isFrom || from == daySeconds:
		c.item("windows", i, "from", "is %q; it takes a time of day, 00:00 to 23:59", shorten(w.From))
	case !isTo:
		c.item("windows", i, "to", "is %q; it takes a time of day, 00:00 to 24:00", shorten(w.To))
	case from == to:
		c.item("windows", i, "to", "is %s, as from is; no time lies between them (00:00 to 24:00 is the whole day)", w.To)
	}
	for _, day := range w.Weekdays {
		c.weekday("windows", i, "weekdays", day)
	}
	if w.Date == "" {
		return
	}
	c.date("windows", i, "date", w.Date)
	if len(w.Weekdays) > 0 {
		c.item("windows", i, "weekdays", "has weekdays and date; a window has one of them, or neither")
	}
}

func (c *checker) date(list string, i int, member, date string) bool {
	if _, ok := ParseDate(date); ok {
		return true
	}
	c.item(list, i, member, "is %q; it takes a day such as 2026-12-25, in the years 1970 to 9999", shorten(date))
	return false
}

func (c *checker) weekday(list string, i int, member, day string) {
	if _, ok := ParseWeekday(day); !ok {
		c.item(list, i, member, "%s", NotAmong(day, weekdays[:]))
	}
}

// zone checks the name of a zone in field timezone.
func (c *checker) zone(name string) {
	switch _, err := LoadZone(name); {
	case err != nil:
		c.fail("timezone", "timezone %v", err)
	case !oneSpelling(name):
		c.fail("timezone", "timezone %q is another spelling of %s; it takes the IANA name", shorten(name), path.Clean(name))
	}
}

var weekdays = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// ParseWeekday reads sun to sat, Sunday being 0; false: it is none of them.
func ParseWeekday(name string) (time.Weekday, bool) {
	i := slices.Index(weekdays[:], strings.ToLower(name))
	return time.Weekday(max(i, 0)), i >= 0
}

// ParseDate reads YYYY-MM-DD of the years 1970 to 9999 as the midnight of UTC that begins the day.
func ParseDate(text string) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, text)
	return day, err == nil && day.Year() >= 1970
}

// ParseYearly reads MM-DD, a day that some years have.
func ParseYearly(text string) (month time.Month, day int, ok bool) {
	at, err := time.Parse(time.DateOnly, "2000-"+text)
	return at.Month(), at.Day(), err == nil
}

// ParseClock reads HH:MM, to 24:00, as seconds of a day.
func ParseClock(text string) (seconds int, ok bool) {
	if len(text) != 5 || text[2] != ':' {
		return 0, false
	}
	hour, wrongHour := strconv.ParseUint(text[:2], 10, 8)
	minute, wrongMinute := strconv.ParseUint(text[3:], 10, 8)
	seconds = int(hour*3600 + minute*60)
	return seconds, wrongHour == nil && wrongMinute == nil && minute < 60 && seconds <= daySeconds
}

// calendars checks the calendars of a plan; only the scheduler knows whether they exist.
func (c *checker) calendars(p *Plan) {
	word(c, "excluded", p.Excluded)
	for _, of := range []struct {
		field string
		ids   []string
	}{{"exclude", p.Exclude}, {"only", p.Only}} {
		for i, id := range of.ids {
			if err := CheckID(id); err != nil {
				c.fail(of.field, "%s: item %d %v", of.field, i+1, err)
			} else if of.field == "only" && slices.Contains(p.Exclude, id) {
				c.fail(of.field, "only and exclude both have %s, so that no time would be left", id)
			}
		}
	}
	if n := len(p.Exclude) + len(p.Only); n > MaxCalendarsOfPlan {
		c.fail("exclude", "exclude and only have %d calendars; at most %d are taken", n, MaxCalendarsOfPlan)
	}
	if p.Excluded != "" && !p.HasCalendars() {
		c.fail("excluded", "excluded is the treatment of occurrences that calendars exclude; it goes with exclude or only")
	}
}

// HasCalendars reports that calendars change when the plan is due.
func (s *Schedule) HasCalendars() bool { return len(s.Exclude) > 0 || len(s.Only) > 0 }
