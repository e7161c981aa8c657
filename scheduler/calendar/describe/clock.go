package describe

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
)

// A clock is the times of day of a rule in the form in which people read them out, as some times,
// or as an interval or values of one unit within larger ones.
type clock struct {
	times []string // the times of day; the rest is empty then

	unit unit
	step int   // one each step units; 0: at the values
	at   []int // of step 0

	// from and to are the first and the last time of a day, or values of the unit within the
	// next larger one; empty: the interval goes round.
	from, to string
	of       bool // from and to are values

	second  int   // of unit minute: at this second; 0 is not written
	minutes []int // of unit second: in these minutes; nil: in each
	hours   []int // in these hours; nil: in each
}

const (
	mostTimes  = 4 // times of day that are listed, where an interval would do
	mostValues = 6 // values that are listed, likewise
)

// clockOf finds the form of the times of day of a rule.
func clockOf(p *calendar.Parts) clock {
	s, m, h := p.Seconds, p.Minutes, p.Hours
	few := len(s)*len(m)*len(h) <= mostTimes && stepOf(h) != 1
	switch {
	case few, len(m)*len(s) == 1 && stepOf(h) == 0 && len(h) <= 2*mostTimes:
		return clock{times: timesOf(s, m, h)}
	case len(s)*len(m) == 1:
		return hourly(s[0], m[0], h)
	case len(s) == 1:
		return minutely(s[0], m, h)
	default:
		return secondly(s, m, h)
	}
}

func hourly(s, m int, h []int) clock {
	step := stepOf(h)
	switch {
	case step == 0:
		return clock{unit: minute, at: []int{m}, second: s, hours: h}
	case len(h) < 24:
		return clock{unit: hour, step: step, from: timeOfDay(h[0], m, s), to: timeOfDay(h[len(h)-1], m, s)}
	case s == 0 && m == 0:
		return clock{unit: hour, step: 1}
	default:
		return clock{unit: minute, at: []int{m}, second: s}
	}
}

func minutely(s int, m, h []int) clock {
	c := clock{unit: minute, second: s}
	if step := within(m, h); step > 0 {
		c.step, c.second = step, 0
		c.from, c.to = timeOfDay(h[0], m[0], s), timeOfDay(last(h), last(m), s)
		return c
	}
	c.count(m, 60)
	c.hours = some(h, 24)
	return c
}

func secondly(s, m, h []int) clock {
	c := clock{unit: second}
	step := 0
	switch {
	case len(m) == 1 && len(h) == 1:
		step = stepOf(s)
	case len(h) == 1 || len(m) == 60:
		if consecutive(m) && consecutive(h) && len(h) < 24 {
			step = roundOf(s, 60)
		}
	}
	if step > 0 {
		c.step = step
		c.from, c.to = toTheSecond(h[0], m[0], s[0]), toTheSecond(last(h), last(m), last(s))
		return c
	}
	c.count(s, 60)
	c.minutes, c.hours = some(m, 60), some(h, 24)
	return c
}

// within returns the interval of minutes that goes on from the first of some hours to the last
// without a break; 0: there is none.
func within(m, h []int) int {
	switch {
	case len(h) == 1:
		return stepOf(m)
	case consecutive(h) && len(h) < 24:
		return roundOf(m, 60)
	}
	return 0
}

// count makes c speak of values out of 0 to n-1: as an interval that goes round, as one with a
// beginning and an end, or one by one.
func (c *clock) count(values []int, n int) {
	round, step := roundOf(values, n), stepOf(values)
	switch {
	case round > 0:
		c.step = round
	case step == 0, step > 1 && len(values) <= mostValues:
		c.at = values
	default:
		c.step, c.of = step, true
		c.from, c.to = fmt.Sprint(values[0]), fmt.Sprint(last(values))
	}
}

// some returns values, or nil if they are all n.
func some(values []int, n int) []int {
	if len(values) == n {
		return nil
	}
	return values
}

func last(values []int) int { return values[len(values)-1] }

// stepOf returns the constant distance of values, of which it takes three in a row, or four; 0:
// there is none.
func stepOf(values []int) int {
	if len(values) < 3 {
		return 0
	}
	step := values[1] - values[0]
	if step > 1 && len(values) < 4 {
		return 0
	}
	for i := range values[1:] {
		if values[i+1]-values[i] != step {
			return 0
		}
	}
	return step
}

// roundOf returns the constant distance of values that begin at 0 and go on in the next n
// without a break; 0: they do not. Two values will do.
func roundOf(values []int, n int) int {
	if values[0] != 0 || len(values) < 2 {
		return 0
	}
	step := values[1]
	for i, v := range values {
		if v != i*step {
			return 0
		}
	}
	if len(values)*step != n {
		return 0
	}
	return step
}

func consecutive(values []int) bool { return values[len(values)-1]-values[0] == len(values)-1 }

func timesOf(s, m, h []int) (all []string) {
	write := toTheSecond
	if len(s) == 1 {
		write = timeOfDay
	}
	for _, hour := range h {
		for _, minute := range m {
			for _, second := range s {
				all = append(all, write(hour, minute, second))
			}
		}
	}
	return all
}

// timeOfDay writes a time, without the seconds if they are 0.
func timeOfDay(h, m, s int) string {
	if s == 0 {
		return fmt.Sprintf("%02d:%02d", h, m)
	}
	return toTheSecond(h, m, s)
}

func toTheSecond(h, m, s int) string { return fmt.Sprintf("%02d:%02d:%02d", h, m, s) }
