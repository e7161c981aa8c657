package calendar

import "time"

// A schedule whose occurrences move has due times of its own, and the moments at which they are
// due in effect. Those are numbered in their order, and of one moment there is one occurrence. So
// a position is a moment here, also on a grid, because the number is counted on from the last
// one.
//
// The moments in effect after a moment come from due times within farthest of it. To find the
// next one, the pieces of that time are looked at, and each is asked for its first due time
// that leads beyond the moment, because the due times in one piece keep their order.

// An effect is an occurrence that is due in effect at a second.
type effect struct {
	sec   int64 // Unix second
	nanos int32
	own   int64 // the second of its own due time
	moved bool
}

func (s Schedule) timeOf(e effect) time.Time { return time.Unix(e.sec, int64(e.nanos)).UTC() }

// before reports that e comes before other, or takes its place, because the one that is not moved
// does so if both are due at once.
func (e effect) before(other effect) bool {
	switch {
	case e.sec != other.sec:
		return e.sec < other.sec
	case e.nanos != other.nanos:
		return e.nanos < other.nanos
	}
	return other.moved && !e.moved
}

// ownFrom returns the first due time of its own at a Unix second or later; false: there is none.
func (s Schedule) ownFrom(sec int64) (int64, bool) {
	start, at := s.start.Unix(), int64(0)
	if s.rule != nil {
		var ok bool
		if at, ok = s.rule.next(max(sec-1, start)); !ok {
			return 0, false
		}
	} else {
		n := max(1, (sec-start+s.step-1)/s.step)
		if s.once && n > 1 {
			return 0, false
		}
		at = start + n*s.step
	}
	until := s.until.Unix()
	return at, at < until || at == until && s.start.nanosOf(s.rule) <= s.until.nanos
}

// ownBetween returns how many due times of its own there are from second a on and before b, and
// the nth of them, or the last one when there are fewer.
func (s Schedule) ownBetween(a, b, nth int64) (n, last int64) {
	first, ok := s.ownFrom(a)
	if !ok || first >= b {
		return 0, 0
	}
	if end := s.until.Unix() + 1; end < b {
		b = end
	}
	if s.rule != nil {
		n = min(s.rule.count(first-1, b-1), nth)
		return n, s.rule.nth(first-1, b-1, n)
	}
	n = min((b-1-first)/s.step+1, nth)
	if last = first + (n-1)*s.step; last == s.until.Unix() && s.start.nanos > s.until.nanos {
		n, last = n-1, last-s.step
	}
	return n, last
}

// effectAfter returns the first occurrence that is due in effect after t.
func (s Schedule) effectAfter(t time.Time) (effect, bool) {
	q := search{s: s, after: t.Unix(), nanos: s.start.nanosOf(s.rule)}
	q.least = q.after + 1 // of a second with the fraction of the due times
	if int(q.nanos) > t.Nanosecond() {
		q.least--
	}
	from := max(s.start.Unix(), q.after-farthest)
	for sec, more := from, true; more && sec <= s.until.Unix()+farthest; {
		piece := s.over.At(sec)
		piece.From = max(piece.From, sec)
		if q.found && piece.From > q.best.sec+farthest || q.found && piece.From > q.best.sec && q.later {
			break
		}
		sec, more = q.look(piece)
	}
	return q.best, q.found
}

// A search is for the first effect after a moment.
type search struct {
	s            Schedule
	after, least int64
	nanos        int32
	best         effect
	found        bool
	later        bool // a piece that moves moved to later times, because none moves to earlier ones
}

func (q *search) offer(e effect) {
	if !q.found || e.before(q.best) {
		q.best, q.found = e, true
	}
}

// look offers the effects of a piece, and returns the second from which on to look further;
// false: there are no due times there.
func (q *search) look(p Piece) (int64, bool) {
	switch p.Kind {
	case Shifted:
		q.later = q.later || p.By > 0
		q.shifted(p)
		return p.To, true
	case Gathered:
		q.later = q.later || p.By >= p.To
		q.gathered(p)
		return p.To, true
	}
	return q.unmoved(p.From, p.To)
}

// unmoved offers the first due time from a second on and before another as it is, and returns
// the second from which on there may be others; false: there are none.
func (q *search) unmoved(from, to int64) (int64, bool) {
	from = max(from, q.least)
	if from >= to || q.found && from > q.best.sec {
		return to, true
	}
	own, ok := q.s.ownFrom(from)
	if ok && own < to {
		q.offer(effect{sec: own, nanos: q.nanos, own: own})
	}
	return max(own, to), ok
}

// within are the seconds to which occurrences may move.
func (s Schedule) within() (first, behind int64) {
	if s.start.nanosOf(s.rule) > s.until.nanos {
		return s.floor, s.until.Unix()
	}
	return s.floor, s.until.Unix() + 1
}

func (q *search) shifted(p Piece) {
	first, behind := q.s.within()
	lo, hi := max(p.From, first-p.By), min(p.To, behind-p.By)
	if lo >= hi { // the whole piece moves outside the plan's time
		q.unmoved(p.From, p.To)
		return
	}
	q.unmoved(p.From, lo)
	q.unmoved(hi, p.To)
	lo = max(lo, q.least-p.By)
	if lo >= hi || q.found && lo+p.By > q.best.sec {
		return
	}
	if own, ok := q.s.ownFrom(lo); ok && own < hi {
		q.offer(effect{sec: own + p.By, nanos: q.nanos, own: own, moved: true})
	}
}

func (q *search) gathered(p Piece) {
	if q.s.stays(p) {
		q.unmoved(p.From, p.To)
		return
	}
	if p.By <= q.after || q.found && p.By > q.best.sec {
		return
	}
	if own, ok := q.s.ownFrom(p.From); ok && own < p.To {
		q.offer(effect{sec: p.By, own: own, moved: true})
	}
}

// nextMoved is [Schedule.Next] of a schedule whose occurrences move.
func (s Schedule) nextMoved(prev Due, notBefore time.Time) (Due, bool) {
	k, after := s.placed(prev)
	if earlier := notBefore.Add(-time.Nanosecond); earlier.After(after) {
		n, _ := s.countMoved(after, notBefore, s.last-k)
		if k, after = k+n, earlier; k >= s.last {
			return Due{}, false
		}
	}
	e, ok := s.effectAfter(after)
	if !ok {
		return Due{}, false
	}
	return Due{k + 1, s.timeOf(e)}, true
}

// placed is [Schedule.position] of a schedule whose occurrences move, the first ones maybe to before
// its start.
func (s Schedule) placed(prev Due) (k int64, after time.Time) {
	if prev.K <= s.base {
		after = s.start.time()
		if first := time.Unix(s.floor, 0).Add(-time.Nanosecond).UTC(); first.Before(after) {
			after = first
		}
		return s.base, after
	}
	return prev.K, prev.At
}

// countMoved counts the occurrences that are due in effect after a moment and before end, most at
// most, and returns the moment of the last one. It steps through those of a day to which others
// move, and counts all others.
func (s Schedule) countMoved(after, end time.Time, most int64) (n int64, last time.Time) {
	if last := s.until.time().Add(time.Nanosecond); end.After(last) {
		end = last
	}
	nanos := int64(s.start.nanosOf(s.rule))
	for n < most && after.Before(end) {
		from := after.Unix() + 1
		if int64(after.Nanosecond()) < nanos {
			from-- // its own occurrence of this second is still to come
		}
		if to := s.quiet(from, end.Unix()); to > from {
			some, at := s.stay(from, to, most-n)
			if some > 0 {
				n, last = n+some, time.Unix(at, nanos).UTC()
			}
			after = time.Unix(to, 0).Add(-time.Nanosecond)
			continue
		}
		e, ok := s.effectAfter(after)
		if !ok {
			break
		}
		if after = s.timeOf(e); after.Before(end) {
			n, last = n+1, after
		}
	}
	return n, last
}

// stay counts the due times from second a on and before b, most at most, in pieces that leave
// them where they are, and returns the last one.
func (s Schedule) stay(a, b, most int64) (n, last int64) {
	for a < b && n < most {
		p := s.over.At(a)
		to := min(p.To, b)
		if s.stays(p) {
			if some, at := s.ownBetween(a, to, most-n); some > 0 {
				n, last = n+some, at
			}
		}
		a = to
	}
	return n, last
}

// atOnce is the time, in seconds, from which on it pays to look whether its occurrences can be
// counted at once, because a look costs as much as a step.
const atOnce = 600

// stays reports that a piece leaves its due times where they are, because it moves none, or all
// of them outside the plan's time.
func (s Schedule) stays(p Piece) bool {
	first, behind := s.within()
	switch p.Kind {
	case Shifted:
		return p.To+p.By <= first || p.From+p.By >= behind
	case Gathered:
		return p.By < first || p.By >= max(behind, s.until.Unix()+1)
	}
	return true
}

// quiet returns the second up to which, from a on and at most to b, no occurrence is due that was
// moved there, but to a due time of the grid; and in which none is due whose place is left.
func (s Schedule) quiet(a, b int64) int64 {
	if b-a < atOnce {
		return a // it is as fast to step
	}
	b = min(b, a+2*farthest)
	for sec := max(s.start.Unix(), a-farthest); b > a && sec < b+farthest; {
		p := s.over.At(sec)
		first, last := p.From+p.By, p.To+p.By
		if p.Kind == Gathered {
			first, last = p.By, p.By+1
		}
		inside := first >= s.floor && last <= s.until.Unix() && first > s.start.Unix()
		switch {
		case s.stays(p):
		case p.Kind == Shifted && inside && s.rule == nil && p.By%s.step == 0 && !s.once:
		default:
			b = quietUntil(a, b, first, last)
			if !inside {
				b = quietUntil(a, b, p.From, p.To)
			}
		}
		sec = p.To
	}
	return max(a, b)
}

// quietUntil returns how far from a on, and at most to b, a disturbance from first on and before
// last is not reached.
func quietUntil(a, b, first, last int64) int64 {
	if last <= a || first >= b {
		return b
	}
	return first
}
