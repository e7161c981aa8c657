package machine

import (
	"slices"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// stirSlice bounds the offers that are held against the claims which wait when a station
// has room again.
const stirSlice = tickSlice

// claims are those that wait, with what concerns them. They are a leader's own.
type claims struct {
	offering  btree.Map[string, *state.Station] // pull stations that have or had something ready
	byStation map[string]*btree.BTreeG[*claim]
	anywhere  *btree.BTreeG[*claim] // those that name no station
	byUntil   *btree.BTreeG[*claim]
	byID      map[string]*claim
	seq       uint64

	search  []*claim                     // those that are searched for
	reading map[schema.PlanName][]*claim // those that were, until a definition is read
	fresh   []*state.Offer               // offers to hold against the claims that wait
	stirred []*state.Station             // pull stations that may have room again
	served  []*claim                     // those that got something in this step
}

func newClaims() claims {
	return claims{
		byStation: map[string]*btree.BTreeG[*claim]{},
		anywhere:  newClaimList(bySeq), byUntil: newClaimList(byUntil), byID: map[string]*claim{},
		reading: map[schema.PlanName][]*claim{},
	}
}

func newClaimList(less func(a, b *claim) bool) *btree.BTreeG[*claim] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

func bySeq(a, b *claim) bool { return a.seq < b.seq }

func byUntil(a, b *claim) bool {
	if a.until != b.until {
		return a.until < b.until
	}
	return a.seq < b.seq
}

func (cs *claims) enter(cl *claim) {
	cl.waits = true
	cs.byUntil.Set(cl)
	if cl.want.ID != "" {
		cs.byID[cl.want.ID] = cl
	}
	if len(cl.want.Stations) == 0 {
		cs.anywhere.Set(cl)
	}
	for _, s := range cl.want.Stations {
		if cs.byStation[s] == nil {
			cs.byStation[s] = newClaimList(bySeq)
		}
		cs.byStation[s].Set(cl)
	}
}

func (cs *claims) leave(cl *claim) {
	if !cl.waits {
		return
	}
	cl.waits, cl.searching = false, false
	cs.byUntil.Delete(cl)
	if cs.byID[cl.want.ID] == cl {
		delete(cs.byID, cl.want.ID)
	}
	cs.anywhere.Delete(cl)
	for _, s := range cl.want.Stations {
		if list := cs.byStation[s]; list != nil {
			if list.Delete(cl); list.Len() == 0 {
				delete(cs.byStation, s)
			}
		}
	}
}

// setBack has no claim wait for longer than it asked for, since the clock was set back.
func (cs *claims) setBack(now unit.Moment) {
	var late []*claim
	cs.byUntil.Scan(func(cl *claim) bool {
		if cl.until > now+cl.longest() {
			late = append(late, cl)
		}
		return true
	})
	for _, cl := range late {
		cs.byUntil.Delete(cl)
		cl.until = now + cl.longest()
		cs.byUntil.Set(cl)
	}
}

// longest is how long a claim may wait, from whenever on.
func (cl *claim) longest() unit.Moment { return unit.Moment(0).After(max(cl.want.Wait, readWithin)) }

// next is when the claims want a Tick; none: not by themselves.
func (cs *claims) next() unit.Moment {
	switch {
	case len(cs.search) > 0, len(cs.fresh) > 0, len(cs.stirred) > 0:
		return 1 // long ago
	}
	if first, ok := cs.byUntil.Min(); ok {
		return first.until
	}
	return 0
}

// resume has those searched for from the beginning that waited for a definition to be read,
// which now has been: another may get what they were to have, and they looked no further.
func (cs *claims) resume(name schema.PlanName) {
	for _, cl := range cs.reading[name] {
		if !cl.waits {
			continue
		}
		cl.read, cl.after, cl.afterNamed = 0, nil, false
		if !cl.searching {
			cl.searching = true
			cs.search = append(cs.search, cl)
		}
	}
	delete(cs.reading, name)
}

// freshen has an offer held against the claims that wait, if any do.
func (cs *claims) freshen(of *state.Offer) {
	if cs.byUntil.Len() > 0 {
		cs.fresh = append(cs.fresh, of)
	}
}

// stir notes that a station may have room for what is offered there.
func (cs *claims) stir(s *state.Station) {
	if s.Claimable == nil || !s.IsPull() || cs.byUntil.Len() == 0 {
		return
	}
	if s.Rematch == nil {
		cs.stirred = append(cs.stirred, s)
	}
	s.Rematch = &state.Rematch{} // from the beginning
}

// attend does for claims what time and the step have made due: the end of a Tick.
func (t *turn) attend() {
	for {
		first, ok := t.claims.byUntil.Min()
		if !ok || first.until > t.now {
			break
		}
		t.looks++
		if first.searching {
			t.claims.byUntil.Delete(first) // it is answered when all was looked at
			continue
		}
		t.finish(first)
	}
	t.searchOn()
	t.stirOn()
}

// searchOn gives the next claim that is searched for its slice.
func (t *turn) searchOn() {
	if len(t.claims.search) == 0 {
		return
	}
	cl := t.claims.search[0]
	if !cl.searching {
		t.looks++
		t.claims.search = t.claims.search[1:]
		return
	}
	through := t.seek(cl)
	if through {
		t.looks++ // also when nothing is left: who waits for room would wait for ever
	}
	if !through && len(cl.got) == 0 {
		t.claims.search = append(t.claims.search[1:], cl)
		return
	}
	t.claims.search = t.claims.search[1:]
	cl.searching = false
	if len(cl.got) == 0 && cl.until <= t.now {
		t.finish(cl)
	}
}

// stirOn holds some more offers of a station that has room against the claims that wait.
func (m *Machine) stirOn() {
	if len(m.claims.stirred) == 0 || len(m.claims.fresh) > 0 {
		return
	}
	s := m.claims.stirred[0]
	m.looks++
	if s.Claimable == nil || !s.IsPull() || !m.hasRoom(s) {
		m.stirred(s)
		return
	}
	list := s.Claimable.Any
	if s.Rematch.Reserved {
		list = s.Claimable.Reserved
	}
	left, more := stirSlice, false
	walk := func(of *state.Offer) bool {
		if of == s.Rematch.After {
			return true
		}
		if left--; left < 0 {
			more = true
			return false
		}
		m.claims.freshen(of)
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

// stirred notes that all that was offered at s has been held against the claims.
func (m *Machine) stirred(s *state.Station) {
	s.Rematch = nil
	m.claims.stirred = m.claims.stirred[1:]
	m.dropStation(s)
}

// serveClaims ends a step: what it offered goes to who waits for it, and who got
// something is answered.
func (t *turn) serveClaims() {
	t.suspect.asked, t.suspect.reads = false, false
	done := 0
	for _, of := range t.claims.fresh {
		if of.O.Offer == of && !t.match(of) {
			break // no room; a Tick goes on
		}
		t.looks++
		done++
	}
	t.claims.fresh = slices.Delete(t.claims.fresh, 0, done)
	for _, cl := range t.claims.served {
		t.finish(cl)
	}
	clear(t.claims.served)
	t.claims.served = t.claims.served[:0]
}

// match hands an offer to those who wait for it, in their order; false: b has no room.
func (t *turn) match(of *state.Offer) bool {
	t.at(of.P)
	for of.O.Offer == of && t.hasRoom(of.P.Station) {
		cl := t.claims.firstFor(of)
		if cl == nil {
			return true
		}
		if !t.whole(of.P) {
			return true // it is held against them again when it has been read
		}
		if !t.b.Room(costOfHand(of.P)) {
			return false
		}
		t.hand(cl, of)
	}
	return true
}

// firstFor returns the first claim that takes an offer, nil if none does.
func (cs *claims) firstFor(of *state.Offer) *claim {
	var found *claim
	look := func(cl *claim) bool {
		if found != nil && cl.seq > found.seq {
			return false
		}
		if cl.takes(of) {
			found = cl
			return false
		}
		return true
	}
	if list := cs.byStation[of.P.Station.Name]; list != nil {
		list.Scan(look)
	}
	cs.anywhere.Scan(look)
	return found
}
