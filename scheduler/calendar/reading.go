package calendar

import (
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Reading is how the local time of a schedule became the moment of an occurrence. The zero
// Reading is the ordinary one: a time that exists once on its day.
type Reading struct {
	// Gap is there when the clocks skip the local time.
	Gap *Gap
	// Pass is 1 or 2 when the clocks show the local time twice, and the occurrence is due the
	// first or the second time; 0: they show it once.
	Pass int
	// Back is when the clocks that show it twice are set back, in the readings before and
	// after; zero without a Pass.
	Back Change
	// Missing is the day of the month that was asked for, as plan_value, where the month has
	// no such day, and Day the day that stands for it; 0, 0: it has.
	Missing, Day int
}

// A Change is a change of clocks: from one reading to another, written as times of UTC, because
// they are readings and no moments.
type Change struct{ From, To time.Time }

// A Gap is the time that a change of clocks skips, with a schedule's times in it.
type Gap struct {
	Change
	// First and Last are the local times of the schedule for which the occurrence stands, in
	// the same manner.
	First, Last time.Time
	N           int64          // how many they are
	Choice      schema.WhenGap // after, before or shift
	// Own is whether the clock shows a local time of the schedule at that moment, too. Both are
	// one occurrence.
	Own bool
}

// Reading returns how the local time of an occurrence that is due at at became that moment;
// only rules have one.
func (s Schedule) Reading(at time.Time) Reading {
	if s.rule == nil {
		return Reading{}
	}
	return s.rule.reading(at.Unix())
}

func (r *rule) reading(t int64) Reading {
	offset, start, end := r.zone.Stretch(t)
	shown := wall(t + offset) // the reading of the clock, or that without the gap
	out := Reading{}
	if gap, first := r.gapAt(t, offset, start, end); gap != nil {
		gap.Own = r.pattern.has(shown)
		out.Gap, shown = gap, first
	} else {
		out.Pass, out.Back = r.passAt(t, offset, start, end)
	}
	out.Missing, out.Day = r.missing(shown)
	return out
}

// gapAt returns the gap because of which the rule is due at t, and the first of its readings
// there; nil: it is due because the clock shows its reading.
func (r *rule) gapAt(t, offset, start, end int64) (*Gap, wall) {
	switch r.change.Gap {
	case schema.GapBefore:
		if t != end-1 {
			return nil, 0
		}
		if next, _, _ := r.zone.Stretch(end); next > offset {
			return r.gap(end, offset, next, wall(end+offset), wall(end+next))
		}
	case schema.GapAfter, schema.GapShift:
		if start <= t-2*reach {
			return nil, 0
		}
		lo, before := r.passed(start)
		hi := wall(start + offset)
		if r.change.Gap == schema.GapShift {
			lo, hi = max(lo, wall(t+before)), min(hi, wall(t+before)+1)
		} else if t != start {
			return nil, 0
		}
		return r.gap(start, before, offset, lo, hi)
	}
	return nil, 0
}

// gap is the gap at a change of clocks, if the rule has a reading from lo on and before hi.
func (r *rule) gap(change, before, after int64, lo, hi wall) (*Gap, wall) {
	first, ok := r.pattern.next(lo)
	if !ok || first >= hi {
		return nil, 0
	}
	last, n := first, int64(0)
	for w := first; ok && w < hi && w-first < 2*reach; w, ok = r.pattern.next(w + 1) {
		last, n = w, n+1
	}
	return &Gap{
		Change: Change{From: wall(change + before).asTime(), To: wall(change + after).asTime()},
		First:  first.asTime(), Last: last.asTime(), N: n, Choice: r.change.Gap,
	}, first
}

// passAt returns which of two times t is at which the clock shows its reading; 0: of one.
func (r *rule) passAt(t, offset, start, end int64) (int, Change) {
	shown := t + offset
	if start > t-2*reach {
		if before, began, _ := r.zone.Stretch(start - 1); shown-before < start && shown-before >= began {
			return 2, Change{From: wall(start + before).asTime(), To: wall(start + offset).asTime()}
		}
	}
	if end < t+2*reach {
		if after, _, ends := r.zone.Stretch(end); shown-after >= end && shown-after < ends {
			return 1, Change{From: wall(end + offset).asTime(), To: wall(end + after).asTime()}
		}
	}
	return 0, Change{}
}

// missing returns the plan_value of a month plan, and the day of the reading, if the month has
// no such day.
func (r *rule) missing(shown wall) (value, day int) {
	d := &r.pattern.days
	if !d.clamp {
		return 0, 0
	}
	year, month, day := shown.date()
	length := monthLength(year, month)
	if date := d.dates.from(0); date != none && date > length {
		return date, day
	}
	if n := d.lasts.from(0); n != none && n >= length {
		return -n, day
	}
	return 0, 0
}

// asTime writes a reading as a time of UTC.
func (w wall) asTime() time.Time { return time.Unix(int64(w), 0).UTC() }

// GapAt returns the gap of a change of clocks that skips a local time at which the schedule would
// be due, if a moment stands for that local time: it is counted with the offset before the change or
// behind it, and may be up to near away. Nil: there is none.
func (s Schedule) GapAt(at time.Time, near time.Duration) *Gap {
	if s.rule == nil {
		return nil
	}
	t, room := at.Unix(), int64(near/time.Second)
	_, start, end := s.rule.zone.Stretch(t)
	for _, change := range [...]int64{start, end} {
		if change < t-2*reach || change > t+2*reach {
			continue
		}
		before, _, _ := s.rule.zone.Stretch(change - 1)
		after, _, _ := s.rule.zone.Stretch(change)
		from, to := wall(change+before), wall(change+after) // the readings that the clock does not show
		for _, offset := range [...]int64{before, after} {
			shown := wall(t + offset)
			lo, hi := max(from, shown-wall(room)), min(to, shown+wall(room)+1)
			if lo >= hi {
				continue
			}
			if g, _ := s.rule.gap(change, before, after, lo, hi); g != nil {
				return g
			}
		}
	}
	return nil
}

// Last is the highest number that an occurrence may have; the schedule may end before.
func (s Schedule) Last() int64 { return s.last }

// IsCut reports that a grid ends, by its last moment, before the next step behind its highest number, so that
// not its repetitions alone bound it.
func (s Schedule) IsCut() bool {
	return s.rule == nil && s.step > 0 && s.last > s.base && s.last < math.MaxInt64 && s.at(s.last+1).After(s.until.time())
}

// Alike returns a key that schedules with the same occurrences from a moment on have in common,
// which bear other numbers; false: nothing is alike, because the numbers end, or the schedule begins
// later. Prev is as in [Schedule.Next].
func (s Schedule) Alike(prev Due, from time.Time) (key Schedule, ok bool) {
	if s.last < math.MaxInt64 || s.Continuous() || !s.start.time().Before(from) || s.floor > from.Unix() || prev.K > 0 && !prev.At.Before(from) {
		return Schedule{}, false
	}
	if s.rule != nil {
		s.start = moment{}
	} else {
		s.start = momentOf(time.Unix(s.start.Unix()%s.step, int64(s.start.nanos)))
	}
	s.base, s.floor = 0, 0
	return s, true
}
