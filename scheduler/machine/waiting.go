package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/claiming"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// attend answers expired claims and continues searches, in a Tick, before the plans that are due.
func (t *turn) attend() {
	for {
		first, ok := t.Claims.ByUntil.Min()
		if !ok || first.Until > t.Now {
			break
		}
		if first.Searching {
			t.Claims.ByUntil.Delete(first) // it is answered when all was looked at
			continue
		}
		t.finish(first)
	}
	t.searchOn()
	t.finishServed() // before plans are visited, because a granted execution may be cancelled there, or the batch end
	t.m.stirOn()
}

// searchOn gives the next claim that is searched for its slice.
func (t *turn) searchOn() {
	if len(t.Claims.Search) == 0 {
		return
	}
	cl := t.Claims.Search[0]
	if !cl.Searching {
		t.Claims.Search = t.Claims.Search[1:]
		return
	}
	through := t.seek(cl)
	if !through && len(cl.Granted) == 0 {
		t.Claims.Search = append(t.Claims.Search[1:], cl)
		return
	}
	t.Claims.Search = t.Claims.Search[1:]
	cl.Searching = false
	if len(cl.Granted) == 0 && cl.Until <= t.Now {
		t.finish(cl)
	}
}

// stirOn matches some more offers of a station to waiting claims, because the station has
// capacity again.
func (m *Machine) stirOn() {
	if len(m.part.Claims.Stirred) == 0 || len(m.part.Claims.Fresh) > 0 {
		return
	}
	s := m.part.Claims.Stirred[0]
	if s.Claimable == nil || !s.IsPull() || !m.part.HasRoom(s) {
		m.stirred(s)
		return
	}
	list := s.Claimable.Any
	if s.Rematch.Reserved {
		list = s.Claimable.Reserved
	}
	left, more := claiming.StirSlice, false
	walk := func(of *state.Offer) bool {
		if of == s.Rematch.After {
			return true
		}
		if left--; left < 0 {
			more = true
			return false
		}
		m.part.Claims.Freshen(of)
		s.Rematch.After = of
		return true
	}
	if s.Rematch.After == nil {
		list.Scan(walk)
	} else {
		list.Ascend(s.Rematch.After, walk)
	}
	switch {
	case more:
	case s.Rematch.Reserved:
		m.stirred(s)
	default:
		s.Rematch = &state.Rematch{Reserved: true}
	}
}

// stirred notes that all offers of s have been matched against the claims.
func (m *Machine) stirred(s *state.Station) {
	s.Rematch = nil
	m.part.Claims.Stirred = m.part.Claims.Stirred[1:]
	m.part.DropStation(s)
}

// serveClaims ends a step: its new offers go to the claims that wait for them, and claims that
// got executions are answered.
func (t *turn) serveClaims() {
	t.Subject.Asked, t.Subject.Reads = false, false
	done := 0
	for _, of := range t.Claims.Fresh {
		if of.O.Offer == of && !t.match(of) {
			break // no room; a Tick goes on
		}
		done++
	}
	t.Claims.Fresh = slices.Delete(t.Claims.Fresh, 0, done)
	t.finishServed()
}

// finishServed answers the claims that got executions.
func (t *turn) finishServed() {
	for _, cl := range t.Claims.Served {
		t.answered = append(t.answered, cl.From)
		t.finish(cl)
	}
	clear(t.Claims.Served)
	t.Claims.Served = t.Claims.Served[:0]
}

// match hands an offer to the claims that wait for it, in their order; false: b has no room.
func (t *turn) match(of *state.Offer) bool {
	t.Partition.At(of.P)
	for of.O.Offer == of && t.HasRoom(of.P.Station) {
		cl := t.Claims.FirstFor(of)
		if cl == nil {
			return true
		}
		if !t.MakeResident(of.P) {
			return true // it is matched against them again when the definition has been read
		}
		if !t.hand(cl, of) {
			return false
		}
	}
	return true
}
