package ical

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// mostYears is how long a repetition is followed from its first day.
	mostYears = 100
	// mostSearched bounds the work for the repetitions of a file, as the days that were compared
	// with the values of a rule. A file of as many entries as a calendar has, a year each, takes
	// less.
	mostSearched = 20_000_000
	// mostRule bounds the bytes of a repetition, because each day is compared with all its values.
	mostRule = 1000
	// cycle is after how many years days, weekdays and leap years are the same again.
	cycle = 400
)

// A repetition is an RRULE.
type repetition struct {
	option rrule.ROption
	parts  ruleParts // in capitals
	order  []string  // their names as written
}

// A ruleParts is the parts of a repetition, by name.
type ruleParts map[string]string

// only reports that there are no parts but some.
func (p ruleParts) only(names ...string) bool {
	n := 0
	for _, name := range names {
		if p[name] != "" {
			n++
		}
	}
	return n == len(p)
}

var frequencies = map[string]rrule.Frequency{
	"YEARLY": rrule.YEARLY, "MONTHLY": rrule.MONTHLY, "WEEKLY": rrule.WEEKLY, "DAILY": rrule.DAILY,
}

var libraryDays = map[string]rrule.Weekday{
	"MO": rrule.MO, "TU": rrule.TU, "WE": rrule.WE, "TH": rrule.TH, "FR": rrule.FR, "SA": rrule.SA, "SU": rrule.SU,
}

// repetitionOf reads an RRULE; wrong names the part that cannot be read.
func repetitionOf(rule string) (r *repetition, wrong string) {
	if len(rule) > mostRule {
		return nil, fmt.Sprintf("has %d bytes; at most %d are read", len(rule), mostRule)
	}
	r = &repetition{parts: ruleParts{}}
	for part := range strings.SplitSeq(strings.ToUpper(strings.TrimSpace(rule)), ";") {
		name, value, is := strings.Cut(part, "=")
		switch {
		case !is || value == "":
			return nil, fmt.Sprintf("has the part %q, which is not written as NAME=VALUE", shorten(part))
		case r.parts[name] != "":
			return nil, "has " + shorten(name) + " twice"
		}
		if wrong := r.read(name, value); wrong != "" {
			return nil, wrong
		}
		r.parts[name] = value
		r.order = append(r.order, name)
	}
	if r.parts["FREQ"] == "" {
		return nil, "has no FREQ"
	}
	return r, r.impossible()
}

// read reads a part; wrong names the values that it takes.
func (r *repetition) read(name, value string) (wrong string) {
	o := &r.option
	takes := func(what string) string {
		return fmt.Sprintf("has %s=%s; %s takes %s", name, shorten(value), name, what)
	}
	number := func(to *int, most int) string {
		n, ok := numberOf(value, most)
		if *to = n; !ok || n == 0 {
			return takes(fmt.Sprintf("1 to %d", most))
		}
		return ""
	}
	switch name {
	case "FREQ":
		of, is := frequencies[value]
		if o.Freq = of; !is {
			return takes("YEARLY, MONTHLY, WEEKLY or DAILY, because events of whole days repeat by days")
		}
	case "INTERVAL":
		return number(&o.Interval, 1000)
	case "COUNT":
		return number(&o.Count, schema.MaxCalendarEntries)
	case "UNTIL":
		day, _, _ := strings.Cut(value, "T")
		until, ok := dateOf(day)
		if o.Until = until; !ok {
			return takes("a day before 9999, such as 20271225")
		}
	case "WKST":
		day, is := libraryDays[value]
		if o.Wkst = day; !is {
			return takes("MO, TU, WE, TH, FR, SA or SU")
		}
	case "BYDAY":
		return r.readDays(value)
	case "BYHOUR", "BYMINUTE", "BYSECOND": // which RFC 5545 ignores for whole days
	default:
		return r.readNumbers(name, value)
	}
	return ""
}

// readNumbers reads a part that is a list of numbers.
func (r *repetition) readNumbers(name, value string) (wrong string) {
	o := &r.option
	for _, p := range []struct {
		name   string
		to     *[]int
		most   int
		behind bool // negative ones count from the end
	}{
		{"BYMONTH", &o.Bymonth, 12, false},
		{"BYMONTHDAY", &o.Bymonthday, 31, true},
		{"BYYEARDAY", &o.Byyearday, 366, true},
		{"BYWEEKNO", &o.Byweekno, 53, true},
		{"BYSETPOS", &o.Bysetpos, 366, true},
	} {
		if p.name != name {
			continue
		}
		for text := range strings.SplitSeq(value, ",") {
			digits, negative := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
			n, ok := numberOf(digits, p.most)
			if !ok || n == 0 || negative && !p.behind {
				takes := fmt.Sprintf("1 to %d", p.most)
				if p.behind {
					takes += fmt.Sprintf(", or -%d to -1", p.most)
				}
				return fmt.Sprintf("has %s=%s; %s takes %s", name, shorten(text), name, takes)
			}
			if negative {
				n = -n
			}
			if !slices.Contains(*p.to, n) {
				*p.to = append(*p.to, n)
			}
		}
		return ""
	}
	return "has " + shorten(name) + ", which is not read"
}

// readDays reads BYDAY: days of the week, in months and years with their places.
func (r *repetition) readDays(value string) (wrong string) {
	for text := range strings.SplitSeq(value, ",") {
		nth, two := text[:max(len(text)-2, 0)], text[max(len(text)-2, 0):]
		day, is := libraryDays[two]
		digits, negative := strings.CutPrefix(strings.TrimPrefix(nth, "+"), "-")
		n, ok := numberOf(digits, 53)
		if !is || nth != "" && (!ok || n == 0) {
			return fmt.Sprintf("has BYDAY=%s; BYDAY takes MO, TU, WE, TH, FR, SA or SU, with a place before it such as 2MO or -1FR", shorten(text))
		}
		if negative {
			n = -n
		}
		if day = day.Nth(n); !slices.Contains(r.option.Byweekday, day) {
			r.option.Byweekday = append(r.option.Byweekday, day)
		}
	}
	return ""
}

// impossible returns a day of a repetition that none of its months has; empty: none is known.
func (r *repetition) impossible() string {
	months, days := r.option.Bymonth, r.option.Bymonthday
	if len(months) == 0 || len(days) == 0 {
		return ""
	}
	for _, month := range months {
		longest := time.Date(2000, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
		for _, day := range days {
			if day <= longest && day >= -longest {
				return ""
			}
		}
	}
	return fmt.Sprintf("has BYMONTH=%s and BYMONTHDAY=%s, a day that is never", r.parts["BYMONTH"], r.parts["BYMONTHDAY"])
}

// text is the repetition as it was written, in capitals.
func (r *repetition) text() string {
	text := ""
	for _, name := range r.order {
		text += ";" + name + "=" + r.parts[name]
	}
	return shorten(strings.TrimPrefix(text, ";"))
}

// steps is how much work it is to compare a day with the repetition.
func (r *repetition) steps() int {
	o := &r.option
	return 1 + len(o.Bymonth) + len(o.Bymonthday) + len(o.Byyearday) + len(o.Byweekno) + len(o.Byweekday) + len(o.Bysetpos)
}

// dates adds all days of a repetition that ends.
//
// The library looks for a next day up to the year 9999. Its search is short because the rule is
// laid so many cycles of 400 years later that mostYears of it are left until then.
func (r *reader) dates(line int, rule *repetition) {
	later := (9999 - mostYears - r.start.Year()) / cycle * cycle
	end, cut := minTime(r.start.AddDate(mostYears, 0, 0), time.Date(9998, 12, 31, 0, 0, 0, 0, time.UTC)), true
	if until := rule.option.Until; !until.IsZero() && !until.After(end) {
		end, cut = until, false
	}
	option := rule.option
	option.Dtstart, option.Until = r.start.AddDate(later, 0, 0), time.Time{}
	all, err := rrule.NewRRule(option)
	if err != nil {
		r.leave(line, "repeats in a way that is not read (RRULE)")
		return
	}
	next, before := all.Iterator(), r.start
	for found := 0; r.err == nil && (option.Count == 0 || found < option.Count); found++ {
		at, more := next()
		if at = at.AddDate(-later, 0, 0); !more {
			at = time.Date(9999-later, 12, 31, 0, 0, 0, 0, time.UTC)
		}
		r.search(line, rule.steps()*int(at.Sub(before)/(24*time.Hour)))
		switch {
		case more && !at.After(end):
			r.date(line, at)
			before = at
			continue
		case found == 0:
			r.leave(line, "repeats by %s (RRULE), which no day up to %s is", rule.text(), end.Format(time.DateOnly))
		case cut:
			r.leave(line, "repeats by %s (RRULE) for more than %d years, and the rest is left out", rule.text(), mostYears)
		}
		return
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// search counts the work of a search, and ends the reading when it is too much.
func (r *reader) search(line, steps int) {
	if r.searched += steps; r.searched > mostSearched {
		r.refuse(line, "the repetitions up to here take more than %d comparisons with days; leave out some, or give them a nearer UNTIL", mostSearched)
	}
}
