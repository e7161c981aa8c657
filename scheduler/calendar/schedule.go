package calendar

import (
	"iter"
	"time"
)

// A Due is one occurrence of a plan: its number, counted from 1, and its moment,
// in UTC. The zero Due stands before the first.
type Due struct {
	K  int64
	At time.Time
}

// A Schedule has the due times of a plan. [Compile] makes one. It is small, shares its large
// parts, never changes, and may be copied and used by many goroutines. The zero Schedule has
// no occurrence.
type Schedule struct {
	rule  *rule      // nil: a grid
	over  *Exclusion // nil: the plan names no calendar
	start moment     // of a grid, the moment of step 0; a rule is due after it
	until moment     // nothing is due after it
	step  int64      // of a grid, in seconds; 0: as soon as possible
	base  int64      // the occurrences of earlier schedules, which bear the numbers up to it
	last  int64      // no occurrence has a higher number
	floor int64      // in Unix seconds; calendars move no occurrence to before it
	once  bool       // a grid of one
}

// A moment is a time of UTC in 12 bytes, because a plan has two.
type moment struct {
	low, high uint32 // the Unix second
	nanos     int32
}

func momentOf(t time.Time) moment {
	sec := uint64(t.Unix())                                              //nolint:gosec // and back
	return moment{uint32(sec), uint32(sec >> 32), int32(t.Nanosecond())} //nolint:gosec // below a billion
}

// Unix returns the Unix second.
func (m moment) Unix() int64 { return int64(uint64(m.high)<<32 | uint64(m.low)) } //nolint:gosec // as it was

func (m moment) time() time.Time { return time.Unix(m.Unix(), int64(m.nanos)).UTC() }

// Continuous reports that each occurrence is due when the one before has finished (plan_value
// 0), so that [Schedule.Next] needs that moment.
func (s Schedule) Continuous() bool { return s.rule == nil && s.step == 0 && s.last > s.base }

// Next returns the first occurrence numbered above prev.K that is due at
// notBefore or later; false when there is none. A zero notBefore asks for
// occurrence prev.K+1, whenever that is. Prev is the zero Due, or one that Next
// or Passed returned: a rule counts on from its moment.
//
// An occurrence of a [Schedule.Continuous] schedule is due when it is asked for:
// at notBefore, but not before the start or prev. Its caller gives the moment at
// which the last execution finished, and never a zero time.
func (s Schedule) Next(prev Due, notBefore time.Time) (Due, bool) {
	k := max(prev.K, s.base)
	if k >= s.last || notBefore.After(s.until.time()) {
		return Due{}, false
	}
	switch {
	case s.moves():
		return s.nextMoved(prev, notBefore)
	case s.rule != nil:
		return s.nextByRule(prev, notBefore)
	case s.step == 0:
		at := s.firstFree(latest(s.start.time(), prev.At, notBefore))
		return Due{k + 1, utc(at)}, !at.After(s.until.time())
	}
	k = max(k+1, s.base+s.stepsTo(notBefore))
	if k > s.last {
		return Due{}, false
	}
	return Due{k, s.at(k)}, true
}

func (s Schedule) nextByRule(prev Due, notBefore time.Time) (Due, bool) {
	k, after := s.position(prev)
	at, ok := s.rule.next(after)
	if earlier := secondBefore(notBefore); ok && at <= earlier {
		passed := s.rule.count(after, earlier)
		if passed >= s.last-k {
			return Due{}, false
		}
		k += passed
		at, ok = s.rule.next(earlier)
	}
	if !ok || at > s.until.Unix() {
		return Due{}, false
	}
	return Due{k + 1, time.Unix(at, 0).UTC()}, true
}

// Passed returns how many occurrences numbered above prev.K are due before t, and the last of
// them, or prev when there are none: those to skip if nothing before t shall run. It counts,
// and steps through none of them, so a month of missed seconds takes it microseconds. Prev is
// as in [Schedule.Next].
//
// A [Schedule.Continuous] schedule never has any.
func (s Schedule) Passed(prev Due, t time.Time) (n int64, last Due) {
	if t.After(s.until.time()) {
		t = s.until.time().Add(time.Nanosecond)
	}
	k, after := s.position(prev)
	switch {
	case k >= s.last:
	case s.moves():
		k, from := s.placed(prev)
		if n, at := s.countMoved(from, t, s.last-k); n > 0 {
			return n, Due{k + n, at}
		}
	case s.rule != nil:
		end := secondBefore(t)
		if n = min(s.rule.count(after, end), s.last-k); n > 0 {
			at := s.rule.nth(after, end, n)
			return n, Due{k + n, time.Unix(at, 0).UTC()}
		}
	case s.step > 0:
		last := min(s.last, s.base+s.stepsTo(t)-1)
		if last > k {
			return last - k, Due{last, s.at(last)}
		}
	}
	return 0, prev
}

// Ahead returns how many occurrences up to prev are due after t, because they were taken off the
// schedule before the clock was set back to t. Prev is as in [Schedule.Next].
//
// A [Schedule.Continuous] schedule never has any.
func (s Schedule) Ahead(prev Due, t time.Time) int64 {
	k, at := s.position(prev)
	switch {
	case s.moves():
		if _, from := s.placed(prev); t.Before(from) {
			n, _ := s.countMoved(latest(t, s.start.time()), from.Add(time.Nanosecond), k-s.base)
			return n
		}
	case s.rule != nil:
		if after := max(t.Unix(), s.start.Unix()); after < at {
			return min(s.rule.count(after, at), k-s.base)
		}
	case s.step > 0:
		first := s.base + max(1, s.stepsTo(t.Add(time.Nanosecond)))
		return max(0, k-first+1)
	}
	return 0
}

// IsGrid reports that the occurrences are due at fixed steps from a start, however many have
// been taken: with a higher After, they are due earlier. A rule goes on from the moment of the
// last one instead.
func (s Schedule) IsGrid() bool { return s.rule == nil && s.step > 0 && !s.moves() }

// Nth returns the n-th occurrence numbered above prev.K, n at least 1, or the last
// one when there are fewer; false when there is none. It counts, and steps through
// none of them. Prev is as in [Schedule.Next]; an occurrence of a
// [Schedule.Continuous] schedule has no time of its own, and none is returned.
func (s Schedule) Nth(prev Due, n int64) (Due, bool) {
	k, after := s.position(prev)
	if n = min(n, s.last-k); n <= 0 {
		return Due{}, false
	}
	switch {
	case s.moves():
		_, from := s.placed(prev)
		n, at := s.countMoved(from, s.until.time().Add(time.Nanosecond), n)
		return Due{k + n, at}, n > 0
	case s.rule != nil:
		return s.nthByRule(k, after, n)
	case s.step == 0:
		return Due{K: k + n}, true
	}
	return Due{k + n, s.at(k + n)}, true
}

// nthByRule looks twice as far ahead until n occurrences lie in between.
func (s Schedule) nthByRule(k, after, n int64) (Due, bool) {
	until := s.until.Unix()
	for span := int64(daySeconds); ; span *= 2 {
		end := min(after+span, until)
		count := s.rule.count(after, end)
		if count < n && end < until {
			continue
		}
		if n = min(n, count); n == 0 {
			return Due{}, false
		}
		return Due{k + n, time.Unix(s.rule.nth(after, end, n), 0).UTC()}, true
	}
}

// position returns the number of the last occurrence up to prev, and the Unix
// second after which a rule goes on.
func (s Schedule) position(prev Due) (k, after int64) {
	if prev.K <= s.base {
		return s.base, s.start.Unix()
	}
	return prev.K, prev.At.Unix()
}

// at returns the moment of occurrence k of a grid.
func (s Schedule) at(k int64) time.Time {
	seconds := s.start.Unix() + (k-s.base)*s.step
	return time.Unix(seconds, int64(s.start.nanos)).UTC()
}

// stepsTo returns the least number of steps that lead a grid from its start to t
// or beyond.
func (s Schedule) stepsTo(t time.Time) int64 {
	if !t.After(s.start.time()) {
		return 0
	}
	seconds := t.Unix() - s.start.Unix()
	if t.Nanosecond() > int(s.start.nanos) {
		seconds++
	}
	return (seconds + s.step - 1) / s.step
}

// secondBefore returns the last whole Unix second before t.
func secondBefore(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix()
	}
	return t.Unix() - 1
}

func latest(t time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(t) {
			t = other
		}
	}
	return t
}

// Occurrences yields the occurrences that would run if the plan were accepted at from, for which
// s was compiled, and each run finished at once: with noKeep all of them, otherwise those at from
// or later. It may yield for ever.
func (s Schedule) Occurrences(noKeep bool, from time.Time) iter.Seq[Due] {
	notBefore := from
	if noKeep && !s.Continuous() {
		notBefore = time.Time{}
	}
	return func(yield func(Due) bool) {
		for due, ok := s.Next(Due{}, notBefore); ok && yield(due); {
			due, ok = s.Next(due, notBefore)
		}
	}
}
