package ical

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/teambition/rrule-go"

	"github.com/stationmaster-io/stationmaster/schema"
)

// repeat adds the days of a repetition: dates if it has an end, else rules.
func (r *reader) repeat(rule string) {
	option, err := rrule.StrToROption(strings.ToUpper(rule))
	if err != nil {
		r.leave("RRULE", "repeats by %s: %v", shorten(rule), err)
		return
	}
	if option.Count > 0 || !option.Until.IsZero() {
		r.dates(option)
		return
	}
	if !r.endless(strings.ToUpper(rule)) {
		r.leave("RRULE", "repeats by %s without an end, which no rule of a calendar is", shorten(rule))
	}
}

// dates adds all days of a repetition that ends.
func (r *reader) dates(option *rrule.ROption) {
	switch option.Freq {
	case rrule.YEARLY, rrule.MONTHLY, rrule.WEEKLY, rrule.DAILY:
	default:
		r.leave("RRULE", "repeats within a day")
		return
	}
	if option.Count > schema.MaxCalendarEntries {
		r.leave("RRULE", "repeats %d times; a calendar has %d entries at most", option.Count, schema.MaxCalendarEntries)
		return
	}
	option.Dtstart = r.start
	all, err := rrule.NewRRule(*option)
	if err != nil {
		r.leave("RRULE", "repeats in a way that cannot be read: %v", err)
		return
	}
	next := all.Iterator()
	for n := 0; ; n++ {
		at, more := next()
		if !more || at.Year() > 9999 {
			return
		}
		if n == schema.MaxCalendarEntries {
			r.leave("RRULE", "repeats more than %d times, and the rest is left out", n)
			return
		}
		r.date(at)
	}
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

// endless adds rules for a repetition without an end; false: there are none that say the same.
func (r *reader) endless(rule string) bool {
	parts := ruleParts{}
	for part := range strings.SplitSeq(rule, ";") {
		name, value, _ := strings.Cut(part, "=")
		if name != "WKST" && (name != "INTERVAL" || value != "1") {
			parts[name] = value
		}
	}
	freq := parts["FREQ"]
	delete(parts, "FREQ")
	switch freq {
	case "WEEKLY":
		return parts.only("BYDAY") && r.weekly(parts["BYDAY"])
	case "MONTHLY":
		return r.monthly(parts)
	case "YEARLY":
		return r.yearly(parts)
	}
	return false
}

func (r *reader) rule(d schema.CalendarDay) {
	d.Name = r.name
	r.days = append(r.days, d)
}

func (r *reader) weekly(days string) bool {
	if days == "" {
		days = weekdays[(int(r.start.Weekday())+6)%7]
	}
	names := map[string]bool{}
	for day := range strings.SplitSeq(days, ",") {
		name, ok := weekdayOf(day)
		if !ok || r.length > 1 {
			return false
		}
		names[name] = true
	}
	for _, day := range weekdays {
		if name, _ := weekdayOf(day); names[name] {
			r.rule(schema.CalendarDay{Weekday: name})
		}
	}
	return true
}

func (r *reader) monthly(parts ruleParts) bool {
	switch {
	case r.length > 1:
		return false
	case len(parts) == 0:
		r.rule(schema.CalendarDay{Cron: fmt.Sprintf("%d * *", r.start.Day())})
		return true
	case parts.only("BYMONTHDAY"):
		return r.cron(monthDays(parts["BYMONTHDAY"]), "*", "*")
	case parts.only("BYDAY"):
		return r.cron("*", "*", nthDays(parts["BYDAY"]))
	}
	return false
}

func (r *reader) yearly(parts ruleParts) bool {
	month := parts["BYMONTH"]
	if month == "" {
		month = strconv.Itoa(int(r.start.Month()))
	}
	switch day := strconv.Itoa(r.start.Day()); {
	case len(parts) == 0, parts.only("BYMONTH", "BYMONTHDAY") && month == strconv.Itoa(int(r.start.Month())) && (parts["BYMONTHDAY"] == "" || parts["BYMONTHDAY"] == day):
		if r.length > 31 {
			return false
		}
		for i := range r.length {
			r.rule(schema.CalendarDay{Yearly: r.start.AddDate(0, 0, i).Format("01-02")})
		}
		return true
	case r.length > 1:
		return false
	case parts.only("BYMONTH", "BYMONTHDAY"):
		if parts["BYMONTHDAY"] != "" {
			day = monthDays(parts["BYMONTHDAY"])
		}
		return r.cron(day, month, "*")
	case parts.only("BYMONTH", "BYDAY") && parts["BYMONTH"] != "":
		return r.cron("*", month, nthDays(parts["BYDAY"]))
	}
	return false
}

// cron adds a rule of three fields, none of which may be empty.
func (r *reader) cron(day, month, weekday string) bool {
	if day == "" || weekday == "" {
		return false
	}
	r.rule(schema.CalendarDay{Cron: day + " " + month + " " + weekday})
	return true
}

// monthDays writes days of a month, of which negative ones count from its end; empty: it cannot.
func monthDays(days string) string {
	var out []string
	for text := range strings.SplitSeq(days, ",") {
		switch n, err := strconv.Atoi(text); {
		case err != nil, n == 0, n < -31, n > 31:
			return ""
		case n == -1:
			out = append(out, "L")
		case n < 0:
			out = append(out, "L-"+strconv.Itoa(-n-1))
		default:
			out = append(out, text)
		}
	}
	return strings.Join(out, ",")
}

// nthDays writes days of the week, with their places in the month; empty: it cannot.
func nthDays(days string) string {
	var out []string
	for text := range strings.SplitSeq(days, ",") {
		if len(text) < 2 {
			return ""
		}
		name, ok := weekdayOf(text[len(text)-2:])
		if !ok {
			return ""
		}
		switch nth := strings.TrimPrefix(text[:len(text)-2], "+"); nth {
		case "":
			out = append(out, name)
		case "-1":
			out = append(out, name+"L")
		case "1", "2", "3", "4", "5":
			out = append(out, name+"#"+nth)
		default:
			return ""
		}
	}
	return strings.Join(out, ",")
}
