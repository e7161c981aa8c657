package tally

import (
	"math"
	"math/bits"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The words by which results count; others are not counted.
var (
	states = [...]schema.State{
		schema.StateOK, schema.StateError, schema.StateFailure, schema.StateTimeout, schema.StateSkipped, schema.StateCancelled,
	}
	reasons = [...]schema.Reason{
		schema.ReasonOverlap, schema.ReasonConcurrency, schema.ReasonFailure, schema.ReasonPast, schema.ReasonMissed, schema.ReasonPaused,
		schema.ReasonManual, schema.ReasonCalendar, schema.ReasonSkipped, schema.ReasonAbandoned,
	}
)

// Buckets is the number of classes of lateness: below a millisecond, below 2, 4 and so on up to
// 32,768, and above.
const Buckets = 17

// A Result is the part of a result that counts.
type Result struct {
	At     unit.Moment // when it was decided
	Sent   unit.Moment // when its execution was sent; 0: never
	State  schema.State
	Reason schema.Reason
	Count  int64       // of skipped occurrences; below 1: one
	Late   unit.Moment // how late its execution began because of the scheduler; below 0: it does not count
}

// A Slot has the counts of some time. States counts results, Skips skipped occurrences, Late the
// executions that began, and Longest is the longest lateness among them, in milliseconds.
type Slot struct {
	States  [len(states)]uint32
	Skips   [len(reasons)]uint32
	Late    [Buckets]uint32
	Longest uint32
}

// A place is where a result counts in each slot.
type place struct {
	state, reason, late int // indices plus one; 0: nowhere
	count, ms           uint32
}

func placeOf(r *Result) place {
	p := place{state: at(states[:], r.State)}
	if r.State == schema.StateSkipped {
		p.reason = at(reasons[:], r.Reason)
		p.count = uint32(min(max(r.Count, 1), math.MaxUint32))
	}
	if r.Late >= 0 {
		p.ms = uint32(min(r.Late/1000, math.MaxUint32))
		p.late = min(bits.Len32(p.ms), Buckets-1) + 1
	}
	return p
}

func (s *Slot) add(p *place) {
	if p.state > 0 {
		s.States[p.state-1]++
	}
	if p.reason > 0 {
		plus(&s.Skips[p.reason-1], p.count)
	}
	if p.late > 0 {
		s.Late[p.late-1]++
		s.Longest = max(s.Longest, p.ms)
	}
}

// plus adds n to a count, which stays at the highest number rather than begin anew.
func plus(count *uint32, n uint32) {
	if *count > math.MaxUint32-n {
		*count = math.MaxUint32
		return
	}
	*count += n
}

// Merge adds the counts of another time, or of another partition.
func (s *Slot) Merge(other *Slot) {
	for i := range s.States {
		plus(&s.States[i], other.States[i])
	}
	for i := range s.Skips {
		plus(&s.Skips[i], other.Skips[i])
	}
	for i := range s.Late {
		plus(&s.Late[i], other.Late[i])
	}
	s.Longest = max(s.Longest, other.Longest)
}

// ByState are the states of results, each with their number.
func (s *Slot) ByState() map[schema.State]int64 {
	return byWord(states[:], s.States[:])
}

// ByReason are the reasons of skips, each with the number of occurrences.
func (s *Slot) ByReason() map[schema.Reason]int64 {
	return byWord(reasons[:], s.Skips[:])
}
