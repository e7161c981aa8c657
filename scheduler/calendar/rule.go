package calendar

import (
	"cmp"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A rule is a pattern of wall clock readings in a zone. It answers in instants, in Unix
// seconds; here, and nowhere else, a reading becomes an instant. A rule never changes and is
// shared by all plans with the same parameters.
type rule struct {
	pattern pattern
	zone    zone

	// change decides about readings that a change of clocks skips or repeats. Neither
	// choice is empty.
	change schema.ClockChange

	// realTime is set if the hour field is an interval, so that the rule follows real time
	// under any choice of a plan.
	realTime bool

	// every is the step, in seconds, of an @every expression, which is a grid and no pattern.
	// Zero for all others.
	every int64
}

// The effects of clock changes on a rule, unless a plan chooses otherwise, for fixed times of
// day and for intervals (docs/adr/0001-clock-changes.md).
var (
	fixedTime = schema.ClockChange{Gap: schema.GapAfter, Overlap: schema.OverlapFirst}
	realTime  = schema.ClockChange{Gap: schema.GapSkip, Overlap: schema.OverlapBoth}
)

// choose sets the choices that are given, if they concern the rule.
func (r *rule) choose(c schema.ClockChange) {
	if r.realTime {
		return
	}
	r.change.Gap = cmp.Or(c.Gap, r.change.Gap)
	r.change.Overlap = cmp.Or(c.Overlap, r.change.Overlap)
}

// cycle is the time after which the calendar repeats itself, weekdays included.
const cycle = 400*365*daySeconds + 97*daySeconds

// next returns the first instant after the given one at which the rule is due. It does not look
// further than a cycle, because an expression whose every match falls into a gap may have none.
func (r *rule) next(after int64) (int64, bool) {
	for t := after + 1; t-after < cycle; {
		s := r.spanAt(t)
		at, ok := s.next(r, t)
		if ok && at < s.end {
			return at, true
		}
		if !ok && s.kind == shown {
			return 0, false
		}
		// Two days on, the clock is past its present reading, however it is changed, so
		// that nothing can match until it nears the match. Years of clock changes are skipped
		// at once.
		from := s.end
		if ok && s.end > t+2*reach {
			from = max(from, at+s.offset-reach)
		}
		t = from
	}
	return 0, false
}

// count returns how often the rule is due after instant a, up to and including
// instant b. It takes time for each month and clock change between them.
func (r *rule) count(a, b int64) (n int64) {
	for t := a + 1; t <= b; {
		s := r.spanAt(t)
		n += s.count(r, t, min(s.end, b+1))
		t = s.end
	}
	return n
}

// nth returns the nth instant after a at which the rule is due, n at least 1.
// The caller knows that it lies no later than b.
func (r *rule) nth(a, b, n int64) int64 {
	for b-a > 1 {
		middle := a + (b-a)/2
		if passed := r.count(a, middle); passed < n {
			a, n = middle, n-passed
		} else {
			b = middle
		}
	}
	return b
}

// weekly is the pattern of a plan of type week; Sunday is 0.
func weekly(weekday, clock int) pattern {
	p := atClock(clock)
	p.days = days{weekdays: setOf(weekday), anyDate: true}
	return p
}

// monthly is the pattern of a plan of type month, which is due on a date from 1 to 31, on the
// last day (0), or so many days before it (-1 to -31).
func monthly(date, clock int) pattern {
	p := atClock(clock)
	p.days = days{clamp: true, anyWeekday: true}
	if date > 0 {
		p.days.dates = setOf(date)
	} else {
		p.days.lasts = setOf(-date)
	}
	return p
}

func atClock(clock int) pattern {
	return pattern{
		seconds: setOf(clock % 60),
		minutes: setOf(clock / 60 % 60),
		hours:   setOf(clock / 3600),
		months:  upTo(int(time.January), int(time.December)),
	}
}
