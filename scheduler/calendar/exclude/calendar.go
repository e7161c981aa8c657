package exclude

import (
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Calendar answers which days and times of day it holds. Days are counted from 1970-01-01.
type Calendar struct {
	Record *schema.Calendar // as it was put, with its revision

	zone    *time.Location // nil: the plan's
	days    []entry
	except  []entry
	windows []window         // of every day, or of weekdays
	dated   map[int][]window // by the day on which they begin
	years   map[int]*year
}

// New returns the calendar of a record that was checked ([schema.ParseCalendar]). The error is a
// *[schema.Error] that names the cron entry which cannot be read.
func New(record *schema.Calendar) (*Calendar, error) {
	c := &Calendar{Record: record, years: map[int]*year{}, dated: map[int][]window{}}
	if record.Timezone != "" {
		zone, err := schema.LoadZone(record.Timezone)
		if err != nil {
			return nil, invalid("timezone", "timezone %v", err)
		}
		c.zone = zone
	}
	var err error
	if c.days, err = entriesOf("days", record.Days); err != nil {
		return nil, err
	}
	if c.except, err = entriesOf("except", record.Except); err != nil {
		return nil, err
	}
	for i := range record.Windows {
		c.addWindow(&record.Windows[i])
	}
	return c, nil
}

func invalid(field, format string, args ...any) error {
	return &schema.Error{Code: schema.CodeInvalidRequest, Field: field, Message: fmt.Sprintf(format, args...)}
}

// An entry is a day or some. Exactly one way is set.
type entry struct {
	name     string
	from, to int // date and until
	month    time.Month
	day      int  // yearly
	easter   int  // days from Easter
	weekday  int8 // Sunday is 0
	kind     kind
	dates    calendar.Dates // cron
}

type kind int8

const (
	byDate kind = iota
	byYear
	byEaster
	byWeekday
	byCron
)

func entriesOf(list string, days []schema.CalendarDay) ([]entry, error) {
	all := make([]entry, len(days))
	for i := range days {
		d, e := &days[i], &all[i]
		e.name = d.Name
		switch {
		case d.Date != "":
			e.from = dayOf(d.Date)
			if e.to = e.from; d.Until != "" {
				e.to = dayOf(d.Until)
			}
		case d.Yearly != "":
			e.kind = byYear
			e.month, e.day, _ = schema.ParseYearly(d.Yearly)
		case d.Easter != nil:
			e.kind, e.easter = byEaster, int(*d.Easter)
		case d.Weekday != "":
			weekday, _ := schema.ParseWeekday(d.Weekday)
			e.kind, e.weekday = byWeekday, int8(weekday) //nolint:gosec // 0 to 6
		default:
			var err error
			e.kind = byCron
			if e.dates, err = calendar.ParseDates(d.Cron); err != nil {
				return nil, invalid(list+".cron", "%s.cron: item %d: %v", list, i+1, err)
			}
		}
	}
	return all, nil
}

// dayOf is the number of a day that was checked.
func dayOf(date string) int {
	at, _ := schema.ParseDate(date)
	return int(at.Unix() / daySeconds)
}

const daySeconds = 24 * 60 * 60

// midnight is the beginning of a day on a clock without zones, as a time of UTC.
func midnight(day int) time.Time { return time.Unix(int64(day)*daySeconds, 0).UTC() }

// holds reports whether a day is one of e.
func (e *entry) holds(day int) bool {
	switch at := midnight(day); e.kind {
	case byDate:
		return e.from <= day && day <= e.to
	case byYear:
		return at.Month() == e.month && at.Day() == e.day
	case byEaster:
		return day == easter(at.Year())+e.easter
	case byWeekday:
		return int8(at.Weekday()) == e.weekday //nolint:gosec // 0 to 6
	default:
		return e.dates.In(at.Year(), at.Month())>>at.Day()&1 != 0
	}
}

// easter is the day of Western Easter in a year, by the method of Meeus, Jones and Butcher.
func easter(year int) int {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	f := (b + 8) / 25
	g := (b - f + 1) / 3
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	month, day := (h+l-7*m+114)/31, (h+l-7*m+114)%31+1
	return firstDay(year, time.Month(month)) + day - 1
}

// firstDay is the number of the first day of a month.
func firstDay(year int, month time.Month) int {
	return int(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Unix() / daySeconds)
}

// A year has the days of a year that a calendar holds, and those that it excepts, as bits.
type year struct {
	first        int // the number of its first day
	held, except bitset
}

type bitset [6]uint64

func (b *bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b *bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// mostYears bounds the years that are kept.
const mostYears = 64

func (c *Calendar) year(day int) *year {
	n := midnight(day).Year()
	if y := c.years[n]; y != nil {
		return y
	}
	if len(c.years) >= mostYears {
		clear(c.years)
	}
	y := &year{first: firstDay(n, time.January)}
	days := firstDay(n+1, time.January) - y.first
	for i := range c.days {
		c.days[i].mark(&y.held, n, y.first, days)
	}
	for i := range c.except {
		c.except[i].mark(&y.except, n, y.first, days)
	}
	for i := range y.held {
		y.held[i] &^= y.except[i]
	}
	c.years[n] = y
	return y
}

// mark sets the days of e in a year whose first day is given, and that has so many days.
func (e *entry) mark(b *bitset, year, first, days int) {
	switch e.kind {
	case byDate:
		for day := max(e.from, first); day <= min(e.to, first+days-1); day++ {
			b.set(day - first)
		}
	case byYear:
		if at := time.Date(year, e.month, e.day, 0, 0, 0, 0, time.UTC); at.Day() == e.day {
			b.set(at.YearDay() - 1)
		}
	case byEaster:
		b.set(easter(year) + e.easter - first)
	case byWeekday:
		for i := (int(e.weekday) - int(midnight(first).Weekday()) + 7) % 7; i < days; i += 7 {
			b.set(i)
		}
	case byCron:
		for month := time.January; month <= time.December; month++ {
			start := firstDay(year, month) - first
			for in, day := e.dates.In(year, month), 0; in != 0; in, day = in>>1, day+1 {
				if in&1 != 0 {
					b.set(start + day - 1)
				}
			}
		}
	}
}

// holdsDay reports whether a day is one of the calendar's days.
func (c *Calendar) holdsDay(day int) bool {
	y := c.year(day)
	return y.held.has(day - y.first)
}

func (c *Calendar) excepts(day int) bool {
	if len(c.except) == 0 {
		return false
	}
	y := c.year(day)
	return y.except.has(day - y.first)
}

// name is that of a day which the calendar holds.
func (c *Calendar) name(day int) string {
	if i := slices.IndexFunc(c.days, func(e entry) bool { return e.holds(day) }); i >= 0 {
		return c.days[i].name
	}
	return ""
}

// Days returns the days that the calendar holds, both ends included, with their names.
func (c *Calendar) Days(from, until time.Time) []schema.NamedDay {
	out := []schema.NamedDay{}
	for day := int(from.Unix() / daySeconds); day <= int(until.Unix()/daySeconds); day++ {
		if c.holdsDay(day) {
			out = append(out, schema.NamedDay{Date: midnight(day).Format(time.DateOnly), Name: c.name(day)})
		}
	}
	return out
}

// A window is a time of day, in seconds; to is above a day's for one over midnight.
type window struct {
	from, to int
	weekdays uint8 // bits, Sunday being 0
	text     string
}

func (c *Calendar) addWindow(w *schema.CalendarWindow) {
	from, _ := schema.ParseClock(w.From)
	to, _ := schema.ParseClock(w.To)
	if to < from {
		to += daySeconds
	}
	made := window{from: from, to: to, text: w.From + "-" + w.To}
	for _, name := range w.Weekdays {
		day, _ := schema.ParseWeekday(name)
		made.weekdays |= 1 << day
	}
	switch {
	case w.Date != "":
		day := dayOf(w.Date)
		c.dated[day] = append(c.dated[day], made)
		return
	case made.weekdays == 0:
		made.weekdays = 1<<7 - 1
	}
	c.windows = append(c.windows, made)
}

// windowsOn yields the windows that begin on a day.
func (c *Calendar) windowsOn(day int, yield func(*window) bool) {
	if c.excepts(day) {
		return
	}
	weekday := midnight(day).Weekday()
	for i := range c.windows {
		if w := &c.windows[i]; w.weekdays>>weekday&1 != 0 && !yield(w) {
			return
		}
	}
	for i := range c.dated[day] {
		if !yield(&c.dated[day][i]) {
			return
		}
	}
}

// hasWindows reports that the calendar may hold a part of a day.
func (c *Calendar) hasWindows() bool { return len(c.windows)+len(c.dated) > 0 }
