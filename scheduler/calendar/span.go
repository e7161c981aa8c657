package calendar

import (
	"math"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A span is a piece of time in which one condition determines the instants at which a rule is
// due. Spans follow from the zone's changes of clocks and from the choice that is made for them
// ([schema.ClockChange]); most reach from one change to the next.
type span struct {
	end    int64 // the first instant behind it
	kind   spanKind
	offset int64 // of the clock, in seconds ahead of UTC
	before int64 // of both: the offset before the change
}

type spanKind int

const (
	shown  spanKind = iota // due when the clock's reading matches
	silent                 // never due
	always                 // due at each instant, of which there is one
	both                   // due when the reading matches, or that of a clock which was not set forward
)

// spanAt returns the span of instant t, from t on.
func (r *rule) spanAt(t int64) span {
	offset, start, end := r.zone.Stretch(t)
	s := span{end: end, offset: offset}
	if start > t-2*reach && r.head(&s, start, t) {
		return s
	}
	if r.change.Overlap == schema.OverlapSecond || r.change.Gap == schema.GapBefore {
		r.tail(&s, t)
	}
	return s
}

// head makes s the span behind the change of clocks at start, if t is in one; else false.
func (r *rule) head(s *span, start, t int64) bool {
	passed, before := r.passed(start)
	if r.change.Overlap == schema.OverlapFirst {
		if again := int64(passed) - s.offset; t < again { // readings that come again
			s.end, s.kind = min(s.end, again), silent
			return true
		}
	}
	resumes := wall(start + s.offset) // the first reading behind a gap
	switch {
	case passed >= resumes:
	case r.change.Gap == schema.GapAfter && t == start && r.matches(passed, resumes):
		s.end, s.kind = t+1, always
		return true
	case r.change.Gap == schema.GapShift && t < int64(resumes)-before:
		s.end, s.kind, s.before = min(s.end, int64(resumes)-before), both, before
		return true
	}
	return false
}

// passed returns the first reading that has not been shown before the change of clocks at start,
// and the offset until then. A reading that comes again counts as not shown, unless the first of
// two is chosen.
func (r *rule) passed(start int64) (first wall, before int64) {
	before, _, _ = r.zone.Stretch(start - 1)
	if r.change.Overlap == schema.OverlapFirst {
		return r.zone.highest(start-1) + 1, before
	}
	return wall(start + before), before
}

// tail cuts s where the change of clocks at its end takes effect, or makes it the span of that
// effect.
func (r *rule) tail(s *span, t int64) {
	change := s.end
	if change == math.MaxInt64 {
		return
	}
	next, _, _ := r.zone.Stretch(change)
	switch {
	case next < s.offset && r.change.Overlap == schema.OverlapSecond:
		if from := change - (s.offset - next); t < from {
			s.end = from
		} else { // readings that will come again
			s.kind = silent
		}
	case next > s.offset && r.change.Gap == schema.GapBefore:
		if t < change-1 {
			s.end = change - 1
		} else if r.matches(wall(change+s.offset), wall(change+next)) {
			s.kind = always
		}
	}
}

// matches reports whether a reading from lo on and before hi matches.
func (r *rule) matches(lo, hi wall) bool {
	match, ok := r.pattern.next(lo)
	return ok && match < hi
}

// next returns the first instant from t on that would be due if s had no end; false: none.
func (s span) next(r *rule, t int64) (int64, bool) {
	switch s.kind {
	case silent:
		return 0, false
	case always:
		return t, true
	}
	match, ok := r.pattern.next(wall(t + s.offset))
	at := int64(match) - s.offset
	if s.kind == both {
		if skipped, is := r.pattern.next(wall(t + s.before)); is && (!ok || int64(skipped)-s.before < at) {
			return int64(skipped) - s.before, true
		}
	}
	return at, ok
}

// count returns how many instants from t on and before end are due, both within s.
func (s span) count(r *rule, t, end int64) (n int64) {
	switch s.kind {
	case silent:
		return 0
	case always:
		return 1
	case both:
		for at, ok := s.next(r, t); ok && at < end; at, ok = s.next(r, at+1) {
			n++
		}
		return n
	}
	return r.pattern.count(wall(t+s.offset), wall(end+s.offset))
}
