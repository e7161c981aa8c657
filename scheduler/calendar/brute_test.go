package calendar_test

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// An expression is a random cron expression together with its meaning, in the simplest form:
// one condition for each field, on one wall clock reading.
type expression struct {
	text     string
	interval bool
	hourly   bool                      // the hour field is an interval
	matches  func(wall time.Time) bool // a reading, carried in UTC
}

// A column draws one field: its text and the values that it means.
type column struct {
	text     string
	values   []bool
	any      bool
	interval bool
}

// drawColumn draws a list of up to three items; plain ones are single values.
func drawColumn(t *rapid.T, name string, low, high int, favoured []int, plain bool) column {
	c := column{values: make([]bool, high+1)}
	var items []string
	for range rapid.IntRange(1, 3).Draw(t, name+" items") {
		value := rapid.OneOf(rapid.IntRange(low, high), rapid.SampledFrom(favoured))
		from, to, step := value.Draw(t, name), value.Draw(t, name+" to"), 1
		from, to = min(from, to), max(from, to)
		var item string
		shape := rapid.IntRange(0, 5).Draw(t, name+" shape")
		if plain || from == to { // cronexpr takes the weekdays 0-0 for 0-6
			shape = 5
		}
		switch shape {
		case 0:
			item, from, to = "*", low, high
			c.any, c.interval = true, true
		case 1:
			step = rapid.IntRange(2, high-low+1).Draw(t, name+" step")
			item, from, to = fmt.Sprintf("*/%d", step), low, high
			c.interval = true
		case 2:
			step = rapid.IntRange(1, high-low+1).Draw(t, name+" step")
			item = fmt.Sprintf("%d-%d/%d", from, to, step)
			c.interval = true
		case 3:
			item = fmt.Sprintf("%d-%d", from, to)
			c.interval = true
		default:
			item, to = fmt.Sprint(from), from
		}
		for v := from; v <= to; v += step {
			c.values[v] = true
		}
		items = append(items, item)
	}
	c.text = strings.Join(items, ",")
	return c
}

// drawExpression draws six fields. Half of the expressions are fixed times of day.
// Most hours are early ones, where clocks are changed, and most day fields are
// open, so that most days have a match.
func drawExpression(t *rapid.T) expression {
	fixed := rapid.Bool().Draw(t, "fixed time of day")
	second := drawColumn(t, "second", 0, 59, []int{0, 30}, false)
	minute := drawColumn(t, "minute", 0, 59, []int{0, 15, 30, 45}, fixed)
	hour := drawColumn(t, "hour", 0, 23, []int{0, 1, 2, 3, 23}, fixed)
	month := column{text: "*", any: true}
	if rapid.IntRange(0, 4).Draw(t, "months") == 0 {
		month = drawColumn(t, "month", 1, 12, []int{2, 3, 10, 11}, false)
	}
	date, onDate := drawDate(t)
	weekday, onWeekday := drawWeekday(t)
	return expression{
		text:     strings.Join([]string{second.text, minute.text, hour.text, date.text, month.text, weekday.text}, " "),
		interval: minute.interval || hour.interval,
		hourly:   hour.interval,
		matches: func(w time.Time) bool {
			if !second.values[w.Second()] || !minute.values[w.Minute()] || !hour.values[w.Hour()] {
				return false
			}
			if !month.any && !month.values[w.Month()] {
				return false
			}
			switch {
			case date.any:
				return weekday.any || onWeekday(w)
			case weekday.any:
				return onDate(w)
			}
			return onDate(w) || onWeekday(w)
		},
	}
}

func drawDate(t *rapid.T) (column, func(time.Time) bool) {
	n := rapid.IntRange(1, 31).Draw(t, "date n")
	switch rapid.IntRange(0, 9).Draw(t, "date kind") {
	case 0:
		c := drawColumn(t, "date", 1, 31, []int{1, 28, 29, 30, 31}, false)
		return c, func(w time.Time) bool { return c.values[w.Day()] }
	case 1:
		return column{text: fmt.Sprintf("L-%d", n-1)}, func(w time.Time) bool {
			return w.AddDate(0, 0, n-1).Day() == lastDay(w) && w.AddDate(0, 0, n-1).Month() == w.Month()
		}
	case 2:
		return column{text: "LW"}, func(w time.Time) bool { return w.Day() == workday(w, lastDay(w)) }
	case 3:
		return column{text: fmt.Sprintf("%dW", n)}, func(w time.Time) bool { return n <= lastDay(w) && w.Day() == workday(w, n) }
	case 4:
		return column{text: "L"}, func(w time.Time) bool { return w.Day() == lastDay(w) }
	default:
		return column{text: "?", any: true}, nil
	}
}

func drawWeekday(t *rapid.T) (column, func(time.Time) bool) {
	d := rapid.IntRange(0, 7).Draw(t, "weekday")
	isD := func(w time.Time) bool { return int(w.Weekday()) == d%7 }
	switch rapid.IntRange(0, 7).Draw(t, "weekday kind") {
	case 0:
		c := drawColumn(t, "weekday", 0, 6, []int{0, 6}, false)
		return c, func(w time.Time) bool { return c.values[w.Weekday()] }
	case 1:
		n := rapid.IntRange(1, 5).Draw(t, "nth")
		return column{text: fmt.Sprintf("%d#%d", d, n)}, func(w time.Time) bool { return isD(w) && (w.Day()+6)/7 == n }
	case 2:
		return column{text: fmt.Sprintf("%dL", d)}, func(w time.Time) bool { return isD(w) && w.Day()+7 > lastDay(w) }
	default:
		return column{text: "*", any: true}, nil
	}
}

func lastDay(w time.Time) int {
	return time.Date(w.Year(), w.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// workday finds the Monday to Friday nearest to a day of w's month, going away from it one day
// at a time.
func workday(w time.Time, day int) int {
	for _, distance := range []int{0, -1, 1, -2, 2} {
		at := time.Date(w.Year(), w.Month(), day+distance, 0, 0, 0, 0, time.UTC)
		if at.Month() == w.Month() && at.Weekday() != time.Saturday && at.Weekday() != time.Sunday {
			return at.Day()
		}
	}
	panic("a month without working days")
}

// due returns every second from a to b at which the expression is due, by asking the zone's clock
// at each of them. The whole rule of clock changes is that a fixed time is due when the clock
// first shows it or passes it.
func (e expression) due(zone *time.Location, a, b time.Time) []time.Time {
	// The highest reading before a. Clocks are changed at whole minutes, so the highest
	// readings come just before them.
	high := reading(zone, a.Add(-time.Second))
	for minute := range 48 * 60 {
		at := a.Truncate(time.Minute).Add(-time.Second - time.Duration(minute)*time.Minute)
		if shown := reading(zone, at); shown.After(high) {
			high = shown
		}
	}
	var found []time.Time
	for at := a; !at.After(b); at = at.Add(time.Second) {
		shown := reading(zone, at)
		due := e.interval && e.matches(shown)
		for ; !e.interval && high.Before(shown); high = high.Add(time.Second) {
			due = due || e.matches(high.Add(time.Second))
		}
		if due {
			found = append(found, at)
		}
	}
	return found
}

// reading returns the reading of a zone's clock, carried in UTC.
func reading(zone *time.Location, at time.Time) time.Time {
	_, offset := at.In(zone).Zone()
	return at.Add(time.Duration(offset) * time.Second)
}
