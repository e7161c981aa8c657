package tally

import (
	"iter"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A Step is the time between two points of a series, in seconds.
type Step int64

// The steps that are kept, and how many points of each: a minute of seconds, an hour of minutes, a
// week of hours.
const (
	Second Step = 1
	Minute Step = 60
	Hour   Step = 3600

	seconds = 60
	minutes = 60
	hours   = 168
)

// A Series has the counts of one station, or of all. The rings are made with the first result,
// because most stations of a large table never have one: some 40 KiB.
type Series struct {
	Waiting Waiting
	Total   Slot // since the machine began

	used  unit.Moment // by the newest result
	rings *rings
}

type rings struct {
	seconds [seconds]timed
	minutes [minutes]timed
	hours   [hours]timed
}

// A timed slot has the counts of one time, by its number since 1970.
type timed struct {
	n int64
	Slot
}

func (s *Series) add(at unit.Moment, p *place) {
	s.Total.add(p)
	s.used = at
	if s.rings == nil {
		s.rings = new(rings)
	}
	sec := int64(at / 1_000_000)
	r := s.rings
	slotOf(r.seconds[:], sec).add(p)
	slotOf(r.minutes[:], sec/int64(Minute)).add(p)
	slotOf(r.hours[:], sec/int64(Hour)).add(p)
}

// slotOf is the slot of a time, which is emptied where it had another one. After a clock has gone
// back it had a later one.
func slotOf(ring []timed, n int64) *Slot {
	t := &ring[n%int64(len(ring))]
	if t.n != n {
		*t = timed{n: n}
	}
	return &t.Slot
}

// ring is that of a step; nil: there is no such step, or no result so far.
func (s *Series) ring(step Step) []timed {
	switch {
	case s.rings == nil:
		return nil
	case step == Second:
		return s.rings.seconds[:]
	case step == Minute:
		return s.rings.minutes[:]
	case step == Hour:
		return s.rings.hours[:]
	default:
		return nil
	}
}

// Each yields the times of a step up to now at which something happened, in Unix seconds, in their
// order, with their counts.
func (s *Series) Each(now unit.Moment, step Step) iter.Seq2[int64, *Slot] {
	return func(yield func(int64, *Slot) bool) {
		ring := s.ring(step)
		last := int64(now/1_000_000) / int64(step)
		for n := last - int64(len(ring)) + 1; n <= last && len(ring) > 0; n++ {
			if t := &ring[n%int64(len(ring))]; t.n == n && !yield(n*int64(step), &t.Slot) {
				return
			}
		}
	}
}

// Last adds the counts of the last so many steps up to now, the present one included.
func (s *Series) Last(now unit.Moment, step Step, points int) (sum Slot) {
	last := int64(now/1_000_000) / int64(step)
	for i := range s.ring(step) {
		if t := &s.ring(step)[i]; t.n > last-int64(points) && t.n <= last {
			sum.Merge(&t.Slot)
		}
	}
	return sum
}
