package calendar

import (
	"math"
	"time"
)

// A Merger is some due times in a row that come to the moment of another one, with which they are
// one occurrence.
type Merger struct {
	N           int64 // how many
	First, Last time.Time
}

// Merged returns the due times that calendars move to the moment of an occurrence that is due at t
// anyway, or to which another one was moved, which [Schedule.MovedFrom] names.
func (s Schedule) Merged(t time.Time) (all []Merger) {
	if !s.moves() {
		return nil
	}
	e, ok := s.effectAfter(t.Add(-time.Nanosecond))
	if !ok || !s.timeOf(e).Equal(t) {
		return nil
	}
	for sec := max(s.start.Unix(), e.sec-farthest); sec <= min(e.sec+farthest, s.until.Unix()); {
		p := s.over.At(sec)
		p.From = max(p.From, sec)
		sec = p.To
		if s.stays(p) {
			continue
		}
		from, to, nanos := p.From, p.To, int32(0)
		if p.Kind == Shifted {
			from, to, nanos = max(p.From, e.sec-p.By), min(p.To, e.sec-p.By+1), s.start.nanosOf(s.rule)
		} else if p.By != e.sec {
			continue
		}
		if from >= to || nanos != e.nanos {
			continue
		}
		if m := s.merger(from, to, e); m.N > 0 {
			all = append(all, m)
		}
	}
	return all
}

// merger has the due times from one second on and before another that come to an occurrence.
func (s Schedule) merger(from, to int64, e effect) Merger {
	first, ok := s.ownFrom(from)
	if ok && e.moved && first == e.own {
		first, ok = s.ownFrom(first + 1)
	}
	if !ok || first >= to {
		return Merger{}
	}
	n, last := s.ownBetween(first, to, math.MaxInt64)
	nanos := int64(s.start.nanosOf(s.rule))
	return Merger{n, time.Unix(first, nanos).UTC(), time.Unix(last, nanos).UTC()}
}

// FollowsRealTime reports that a change of clocks concerns no occurrence, because the schedule has
// no local time, or follows real time in every hour.
func (s Schedule) FollowsRealTime() bool { return s.rule == nil || s.rule.realTime }
