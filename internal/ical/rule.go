package ical

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/teambition/rrule-go"

	"github.com/stationmaster-io/stationmaster/schema"
)

// repeat adds the days of a repetition: dates if it has an end, else rules.
func (r *reader) repeat(p property) {
	rule, wrong := repetitionOf(p.value)
	switch {
	case wrong != "":
		r.leave(p.line, "repeats in a way that is not read: RRULE %s", wrong)
	case rule.option.Count > 0 || !rule.option.Until.IsZero():
		r.dates(p.line, rule)
	case !r.endless(p.line, rule):
		r.leave(p.line, "repeats by %s without an end, which no rule of a calendar is", rule.text())
	}
}

// endless adds rules for a repetition without an end; false: no rules have the same meaning.
func (r *reader) endless(line int, rule *repetition) bool {
	parts := maps.Clone(rule.parts)
	for _, name := range []string{"FREQ", "WKST", "BYHOUR", "BYMINUTE", "BYSECOND"} {
		delete(parts, name)
	}
	if rule.option.Interval == 1 {
		delete(parts, "INTERVAL")
	}
	switch rule.option.Freq {
	case rrule.WEEKLY:
		return parts.only("BYDAY") && r.weekly(line, parts["BYDAY"])
	case rrule.MONTHLY:
		return r.monthly(line, rule, parts)
	case rrule.YEARLY:
		return r.yearly(line, rule, parts)
	}
	return false
}

func (r *reader) weekly(line int, days string) bool {
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
			r.add(line, schema.CalendarDay{Weekday: name})
		}
	}
	return true
}

func (r *reader) monthly(line int, rule *repetition, parts ruleParts) bool {
	switch {
	case r.length > 1:
		return false
	case len(parts) == 0:
		return r.cron(line, strconv.Itoa(r.start.Day()), "*", "*")
	case parts.only("BYMONTHDAY"):
		return r.cron(line, monthDays(rule.option.Bymonthday), "*", "*")
	case parts.only("BYDAY"):
		return r.cron(line, "*", "*", nthDays(parts["BYDAY"]))
	}
	return false
}

func (r *reader) yearly(line int, rule *repetition, parts ruleParts) bool {
	months, days := rule.option.Bymonth, rule.option.Bymonthday
	if len(months) == 0 {
		months = []int{int(r.start.Month())}
	}
	if len(days) == 0 {
		days = []int{r.start.Day()}
	}
	itself := slices.Equal(months, []int{int(r.start.Month())}) && slices.Equal(days, []int{r.start.Day()})
	switch {
	case itself && parts.only("BYMONTH", "BYMONTHDAY"):
		if r.length > 31 {
			return false
		}
		for i := range r.length {
			r.add(line, schema.CalendarDay{Yearly: r.start.AddDate(0, 0, i).Format("01-02")})
		}
		return true
	case r.length > 1:
		return false
	case parts.only("BYMONTH", "BYMONTHDAY"):
		return r.cron(line, monthDays(days), listed(months), "*")
	case parts.only("BYMONTH", "BYDAY") && parts["BYMONTH"] != "":
		return r.cron(line, "*", listed(months), nthDays(parts["BYDAY"]))
	}
	return false
}

// cron adds a rule of three fields, none of which may be empty.
func (r *reader) cron(line int, day, month, weekday string) bool {
	rule := day + " " + month + " " + weekday
	if day == "" || weekday == "" || len(rule) > schema.MaxCron {
		return false
	}
	r.add(line, schema.CalendarDay{Cron: rule})
	return true
}

func listed(numbers []int) string {
	text := make([]string, len(numbers))
	for i, n := range numbers {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}

// monthDays writes days of a month, of which negative ones count from its end.
func monthDays(days []int) string {
	text := make([]string, len(days))
	for i, n := range days {
		switch text[i] = strconv.Itoa(n); {
		case n == -1:
			text[i] = "L"
		case n < 0:
			text[i] = "L-" + strconv.Itoa(-n-1)
		}
	}
	return strings.Join(text, ",")
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
