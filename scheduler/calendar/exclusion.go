package calendar

import (
	"math"
	"time"
)

// An Exclusion applies the calendars of a plan to its due times. Plans with the same
// calendars, zone and choices share one.
type Exclusion struct {
	Pieces
	// Moves is whether an occurrence that is excluded moves to another time (excluded next or
	// previous), if there is one that it may move to.
	Moves bool
}

// Pieces cut time into pieces of one treatment each.
type Pieces interface {
	// At returns the piece of a Unix second. It reaches as far as it was looked at, so that the
	// pieces before and behind may be of the same treatment.
	At(second int64) Piece
}

// A Piece is some time in which all occurrences are treated alike.
type Piece struct {
	From, To int64 // Unix seconds, To being the first one behind it
	Treatment
}

// A Treatment is the effect of calendars on an occurrence. The zero value: it is due at its own time.
type Treatment struct {
	Kind PieceKind
	By   int64 // of Shifted, seconds, negative to an earlier time; of Gathered, the Unix second
}

// PieceKind is a kind of treatment.
type PieceKind int8

const (
	Free     PieceKind = iota // it is due at its own time
	Held                      // it is excluded, and does not move
	Shifted                   // it is due earlier or later
	Gathered                  // it is due at one second, with all others of the piece
)

// farthest bounds how far an occurrence moves, in seconds: 31 days, one of which may be longer by
// a change of clocks.
const farthest = 31*daySeconds + reach

// With returns the schedule with calendars, of which nil are none.
func (s Schedule) With(over *Exclusion) Schedule {
	s.over = over
	return s
}

// Exclusion returns the exclusion that applies to the due times; nil: there is none.
func (s Schedule) Exclusion() *Exclusion { return s.over }

// moves reports that occurrences may be due at another time than their own.
func (s Schedule) moves() bool { return s.over != nil && s.over.Moves && !s.Continuous() }

// Excludes reports that an occurrence which is due at t does not run, because calendars exclude
// it and it moves nowhere.
func (s Schedule) Excludes(t time.Time) bool {
	return s.over != nil && s.over.At(t.Unix()).Kind != Free
}

// A Run is some occurrences in a row, all or none of which are excluded.
type Run struct {
	N        int64 // how many; 0: none is due
	Last     Due
	Excluded bool
}

// Run returns the occurrences behind prev and before t of which all or none are excluded.
func (s Schedule) Run(prev Due, t time.Time) Run {
	first, ok := s.Next(prev, time.Time{})
	if !ok || !first.At.Before(t) {
		return Run{Last: prev}
	}
	run := Run{Excluded: s.Excludes(first.At)}
	if s.over != nil {
		t = s.runEnd(first, t)
	}
	run.N, run.Last = s.Passed(prev, t)
	return run
}

// runEnd returns the end of the run of the occurrence first: t, or the moment of the first
// occurrence before t that is excluded and first is not, or the other way round.
func (s Schedule) runEnd(first Due, t time.Time) time.Time {
	p := s.over.At(first.At.Unix())
	free := p.Kind == Free
	for {
		behind := time.Unix(p.To, 0)
		if !behind.Before(t) {
			return t
		}
		next, ok := s.Next(first, behind)
		if !ok || !next.At.Before(t) {
			return t
		}
		first = next
		if p = s.over.At(next.At.Unix()); (p.Kind == Free) != free {
			return next.At
		}
	}
}

// NextRun returns the first occurrence numbered above prev.K, due at notBefore or later, that
// calendars do not exclude; false: there is none, with calendars up to until. Arguments are as in
// [Schedule.Next].
func (s Schedule) NextRun(prev Due, notBefore, until time.Time) (Due, bool) {
	if s.moves() {
		at, ok := s.NextRunAt(prev, notBefore, until)
		if !ok {
			return Due{}, false
		}
		return s.Next(prev, at)
	}
	for {
		next, ok := s.Next(prev, notBefore)
		if s.over == nil {
			return next, ok
		}
		if !ok || next.At.After(until) {
			return Due{}, false
		}
		p := s.over.At(next.At.Unix())
		if p.Kind == Free {
			return next, true
		}
		prev, notBefore = next, time.Unix(p.To, 0) // so that it is not counted from the first again
	}
}

// NextRunAt is the moment of [Schedule.NextRun]. It counts only where repetitions are limited,
// because counting occurrences that move takes a step for each.
func (s Schedule) NextRunAt(prev Due, notBefore, until time.Time) (time.Time, bool) {
	if !s.moves() {
		next, ok := s.NextRun(prev, notBefore, until)
		return next.At, ok
	}
	k, after := s.placed(prev)
	behind := latest(after, notBefore.Add(-time.Nanosecond))
	for {
		e, ok := s.effectAfter(behind)
		at := s.timeOf(e)
		if !ok || at.After(until) || k >= s.last {
			return time.Time{}, false
		}
		p := s.over.At(e.sec)
		if p.Kind != Free {
			behind = time.Unix(p.To, 0).Add(-time.Nanosecond)
			continue
		}
		if s.last < math.MaxInt64 {
			n, _ := s.countMoved(after, at, s.last-k)
			return at, k+n < s.last
		}
		return at, true
	}
}

// mostRuns bounds the runs that are counted one by one, some dozen milliseconds of them.
const mostRuns = 10_000

// NthRun returns the nth occurrence numbered above prev.K that calendars do not exclude, n at least
// 1, or the last one that was found when there are fewer; false when there is none.
func (s Schedule) NthRun(prev Due, n int64) (found Due, ok bool) {
	if s.over == nil || s.Continuous() {
		return s.Nth(prev, n)
	}
	for range mostRuns {
		next, more := s.NextRun(prev, time.Time{}, Horizon(latest(prev.At, s.start.time())))
		if !more || n <= 0 {
			break
		}
		before := Due{next.K - 1, next.At.Add(-time.Nanosecond)}
		run := s.Run(before, Horizon(next.At))
		if n <= run.N {
			return s.Nth(before, n)
		}
		n -= run.N
		prev, found, ok = run.Last, run.Last, true
	}
	return found, ok
}

// Runs returns how many occurrences behind prev and up to last calendars do not exclude.
func (s Schedule) Runs(prev, last Due) (n int64) {
	if s.over == nil || s.Continuous() {
		return last.K - prev.K
	}
	for range mostRuns {
		run := s.Run(prev, last.At.Add(time.Nanosecond))
		if run.N == 0 {
			break
		}
		if prev = run.Last; !run.Excluded {
			n += run.N
		}
	}
	return n
}

// Horizon is how far the first occurrence of a plan that runs may be away.
func Horizon(from time.Time) time.Time { return from.AddDate(5, 0, 0) }

// firstFree returns the first moment at t or later that nothing excludes, within the horizon.
func (s Schedule) firstFree(t time.Time) time.Time {
	end := Horizon(t)
	for s.over != nil && t.Before(end) {
		p := s.over.At(t.Unix())
		if p.Kind == Free {
			break
		}
		t = time.Unix(p.To, 0)
	}
	return t
}

// MovedFrom returns the moment at which an occurrence that is due at t would be due without
// calendars; the zero time: at t.
func (s Schedule) MovedFrom(t time.Time) time.Time {
	if !s.moves() {
		return time.Time{}
	}
	e, ok := s.effectAfter(t.Add(-time.Nanosecond))
	if !ok || !e.moved || !s.timeOf(e).Equal(t) {
		return time.Time{}
	}
	return time.Unix(e.own, int64(s.start.nanosOf(s.rule))).UTC()
}

// nanosOf returns the fraction of a second of a schedule's own due times.
func (m moment) nanosOf(r *rule) int32 {
	if r != nil {
		return 0
	}
	return m.nanos
}
