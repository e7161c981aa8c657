package calendar

import "time"

// A rule is a pattern of wall clock readings in a zone. It answers in instants, in Unix
// seconds; here, and nowhere else, a reading becomes an instant. A rule never changes and is
// shared by all plans with the same parameters.
type rule struct {
	pattern pattern
	zone    zone

	// interval makes the rule follow real time: due whenever the clock shows a match.
	// Otherwise it is due when the clock first shows a match or passes it.
	interval bool

	// every is the step, in seconds, of an @every expression, which is a grid and no pattern.
	// Zero for all others.
	every int64
}

// cycle is the time after which the calendar repeats itself, weekdays included.
const cycle = 400*365*daySeconds + 97*daySeconds

// next returns the first instant after the given one at which the rule is due.
func (r *rule) next(after int64) (int64, bool) {
	if r.interval {
		return r.nextShown(after)
	}
	match, ok := r.pattern.next(r.zone.highest(after) + 1)
	if !ok {
		return 0, false
	}
	return r.zone.first(match), true
}

// nextShown returns the first instant after the given one at which the clock shows a match. It
// does not look further than a cycle, because an expression whose every match falls into a gap
// has none.
func (r *rule) nextShown(after int64) (int64, bool) {
	for t := after + 1; t-after < cycle; {
		offset, _, end := r.zone.Stretch(t)
		match, ok := r.pattern.next(wall(t + offset))
		if !ok {
			return 0, false
		}
		if at := int64(match) - offset; at < end {
			return at, true
		}
		// Two days on, the clock is past its present reading, however it is changed, so
		// that nothing can match until it nears the match. Years of clock changes are skipped
		// at once.
		if end > t+2*reach {
			end = max(end, int64(match)-reach)
		}
		t = end
	}
	return 0, false
}

// count returns how often the rule is due after instant a, up to and including
// instant b. It takes time for each month and clock change between them.
func (r *rule) count(a, b int64) int64 {
	if a >= b {
		return 0
	}
	var n int64
	var high wall
	if !r.interval {
		high = r.zone.highest(a)
	}
	for t := a + 1; t <= b; {
		offset, _, end := r.zone.Stretch(t)
		end = min(end, b+1)
		first, last := wall(t+offset), wall(end-1+offset)
		t = end
		if r.interval {
			n += r.pattern.count(first, last+1)
			continue
		}
		if first > high { // the readings that a gap skipped are due at once, as one
			n += min(1, r.pattern.count(high+1, first+1))
			high = first
		}
		if last > high {
			n += r.pattern.count(high+1, last+1)
			high = last
		}
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

// monthly is the pattern of a plan of type month: a date from 1 to 31, the last
// day (0), or one that many days before it (-1 to -31).
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
