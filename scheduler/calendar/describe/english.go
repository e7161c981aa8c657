package describe

import (
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

type english struct{}

var englishUnits = map[unit]string{second: "second", minute: "minute", hour: "hour", day: "day"}

func (english) atOnce() string { return "Once, at once" }

func (english) inbox() string { return "When items of its inbox are due" }

func (english) onceAt(moment, zone string) string { return "Once, at " + moment + " in " + zone }

func (e english) grid(every interval) string {
	if every.n == 0 {
		return "One after the other, each when the one before has ended"
	}
	return e.every(every)
}

func (english) every(i interval) string {
	if i.n == 1 {
		return "Every " + englishUnits[i.unit]
	}
	return fmt.Sprintf("Every %d %ss", i.n, englishUnits[i.unit])
}

func (english) counted(from, zone string) string { return ", counted from " + from + " in " + zone }

func (english) times(n int64) string {
	switch {
	case n < 0:
		return ""
	case n == 1:
		return "; once"
	}
	return fmt.Sprintf("; %d times", n)
}

func (english) from(moment string) string { return "; from " + moment + " on" }

func (english) until(moment string) string { return "; until " + moment }

func (e english) rule(c clock, p *calendar.Parts, zone string) string {
	text := e.clock(&c)
	if days := e.days(p, len(c.times) > 0); days != "" {
		text += ", " + days
	}
	return text + ", in " + zone
}

// clock writes the times of day.
func (e english) clock(c *clock) string {
	if len(c.times) > 0 {
		return "At " + and(c.times)
	}
	text := ""
	if c.step > 0 {
		text = e.every(interval{int64(c.step), c.unit})
	} else {
		text = "At " + e.named(englishUnits[c.unit], c.at)
	}
	larger := " of each " + englishUnits[c.unit+1]
	switch {
	case c.of:
		text += fmt.Sprintf(" from %s %s to %s", englishUnits[c.unit], c.from, c.to)
	case c.from != "":
		text += " from " + c.from + " to " + c.to
	}
	if c.of || c.step == 0 {
		switch {
		case c.unit == second && c.minutes == nil, c.unit == minute && c.hours == nil:
			text += larger
		}
	}
	if c.minutes != nil {
		preposition := " in "
		if c.of || c.step == 0 {
			preposition = " of "
		}
		text += preposition + e.named("minute", c.minutes)
		if c.hours == nil {
			text += " of each hour"
		}
	}
	if c.hours != nil {
		text += " in " + e.named("hour", c.hours)
	}
	if c.second != 0 {
		text += fmt.Sprintf(", at second %d", c.second)
	}
	return text
}

// named writes values behind their noun: "minutes 5, 10 to 15 and 20".
func (e english) named(noun string, values []int) string {
	if len(values) > 1 {
		noun += "s"
	}
	return noun + " " + and(e.runs(runsOf(values), func(n int) string { return fmt.Sprint(n) }))
}

func (english) runs(runs []run, name func(int) string) (words []string) {
	for _, r := range runs {
		if r.first == r.last {
			words = append(words, name(r.first))
		} else {
			words = append(words, name(r.first)+" to "+name(r.last))
		}
	}
	return words
}

// days writes the days and months. "Every day" is written only behind times of day.
func (e english) days(p *calendar.Parts, times bool) string {
	if onlyDates(p) {
		text := "on " + and(e.runs(runsOf(p.Dates), func(n int) string { return fmt.Sprint(n) }))
		return text + " " + time.Month(p.Months[0]).String()
	}
	text := ""
	switch dayKindOf(p) {
	case everyDay:
		if times {
			text = "every day"
		}
	case byDate:
		text = e.dates(p)
	case byWeekday:
		text = e.weekdays(p)
	case byEither:
		weekdays := e.weekdays(p)
		if single, every := strings.CutPrefix(weekdays, "every "); every {
			weekdays = "on " + single
		}
		text = e.dates(p) + " or " + weekdays
	}
	return strings.TrimPrefix(text+e.months(p), ", ")
}

func (e english) months(p *calendar.Parts) string {
	if len(p.Months) == 12 {
		return ""
	}
	runs := runsOf(p.Months)
	months := and(e.runs(runs, func(n int) string { return time.Month(n).String() }))
	if len(runs) == 1 && runs[0].first != runs[0].last {
		return ", from " + months
	}
	return ", in " + months
}

// dates writes the days of the month: "on day 1 and on the last day of the month".
func (e english) dates(p *calendar.Parts) string {
	if step := dateStep(p); step > 0 {
		return fmt.Sprintf("on every %s day of the month from day %d on", ordinal(step), p.Dates[0])
	}
	var all []string
	if len(p.Dates) > 0 {
		all = append(all, "on "+e.named("day", p.Dates))
	}
	for _, n := range p.BeforeLast {
		switch n {
		case 0:
			all = append(all, "on the last day")
		case 1:
			all = append(all, "on the day before the last")
		default:
			all = append(all, fmt.Sprintf("%d days before the last day", n))
		}
	}
	if p.LastWorkday {
		all = append(all, "on the last working day (Monday to Friday)")
	}
	for _, n := range p.NearestTo {
		all = append(all, fmt.Sprintf("on the working day (Monday to Friday) nearest to day %d", n))
	}
	text := and(all) + " of the month"
	if p.Clamps && len(p.Dates) > 0 && last(p.Dates) > 28 {
		text += ", or on its last day"
	}
	if p.Clamps && len(p.BeforeLast) > 0 && last(p.BeforeLast) > 27 {
		text += ", or on its first day"
	}
	return text
}

// weekdays writes the days of the week.
func (e english) weekdays(p *calendar.Parts) string {
	var all []string
	plain := false
	if runs := weekdayRuns(p.Weekdays); len(runs) > 0 {
		names := and(e.runs(runs, englishWeekday))
		plain = true
		switch {
		case len(p.Weekdays) == 1:
			all = append(all, "every "+names)
		case len(runs) == 1:
			all = append(all, names)
		default:
			all = append(all, "on "+names)
		}
	}
	ordinals := [...]string{"last", "first", "second", "third", "fourth", "fifth"}
	for _, n := range [...]int{1, 2, 3, 4, 5, 0} {
		for _, r := range weekdayRuns(p.Nth[n]) {
			for d := r.first; d <= r.last; d++ {
				all = append(all, "on the "+ordinals[n]+" "+englishWeekday(d))
			}
		}
	}
	if plain && len(all) == 1 {
		return all[0]
	}
	return and(all) + " of the month"
}

func englishWeekday(d int) string { return time.Weekday(d % 7).String() }

func (e english) gap(g *calendar.Gap, due time.Time, zone string) string {
	times, do := shown(g.First, g.From), " does not exist"
	if g.First != g.Last {
		times, do = times+" to "+shown(g.Last, g.From), " do not exist"
	}
	text := fmt.Sprintf("%s%s on %s in %s, because the clocks go forward from %s to %s; ",
		times, do, g.From.Format(time.DateOnly), zone, shown(g.From, g.From), shown(g.To, g.From))
	at := shown(due, g.From)
	switch g.Choice {
	case schema.GapBefore:
		return text + "it is due at the last second before that, " + at
	case schema.GapShift:
		return text + "it is due later by as much, at " + at
	}
	return text + "it is due at the first moment after that, " + at
}

func (english) oneOfGap(g *calendar.Gap, due time.Time) string {
	text := "the occurrence of " + shown(g.First, g.From)
	if g.N > 1 {
		text = fmt.Sprintf("the %d occurrences of %s to %s", g.N, shown(g.First, g.From), shown(g.Last, g.From))
	}
	if g.Own {
		text += " and that of " + shown(due, g.From)
	}
	return text + " are one, because they come to the same moment"
}

func (english) overlap(local time.Time, pass int, back calendar.Change, zone string) string {
	which := "first"
	if pass == 2 {
		which = "second"
	}
	return fmt.Sprintf("%s exists twice on %s in %s, because the clocks go back from %s to %s; this is the %s",
		local.Format(clockLayout(local)), local.Format(time.DateOnly), zone, shown(back.From, local), shown(back.To, local), which)
}

func (english) clamped(local time.Time, missing int) string {
	month, length := local.Format("January 2006"), daysOf(local)
	if missing > 0 {
		return fmt.Sprintf("%s has %d days, so day %d stands for day %d", month, length, local.Day(), missing)
	}
	return fmt.Sprintf("%s has %d days, so day %d stands for the one %d days before the last", month, length, local.Day(), -missing)
}

func (english) jitter(seconds string) string {
	if seconds == "1" {
		return "begins up to 1 second later, at random"
	}
	return "begins up to " + seconds + " seconds later, at random"
}

// and joins words as people do.
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}
