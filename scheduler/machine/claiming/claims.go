package claiming

import (
	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// StirSlice bounds the offers that are held against the claims which wait when a station
// has room again.
const StirSlice = 256

// Claims are those that wait, with what concerns them. They are a leader's own.
type Claims struct {
	Offering  btree.Map[string, *state.Station] // pull stations that have or had something ready
	byStation map[string]*btree.BTreeG[*Claim]
	anywhere  *btree.BTreeG[*Claim] // those that name no station
	ByUntil   *btree.BTreeG[*Claim]
	ByID      map[string]*Claim
	Seq       uint64

	Search  []*Claim                     // those that are searched for
	Reading map[schema.PlanName][]*Claim // those that were, until a definition is read
	Fresh   []*state.Offer               // offers to hold against the claims that wait
	Stirred []*state.Station             // pull stations that may have room again
	Served  []*Claim                     // those that got something in this step
}

func New() Claims {
	return Claims{
		byStation: map[string]*btree.BTreeG[*Claim]{},
		anywhere:  newClaimList(bySeq), ByUntil: newClaimList(byUntil), ByID: map[string]*Claim{},
		Reading: map[schema.PlanName][]*Claim{},
	}
}

func newClaimList(less func(a, b *Claim) bool) *btree.BTreeG[*Claim] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

func bySeq(a, b *Claim) bool { return a.Seq < b.Seq }

func byUntil(a, b *Claim) bool {
	if a.Until != b.Until {
		return a.Until < b.Until
	}
	return a.Seq < b.Seq
}

func (cs *Claims) Enter(cl *Claim) {
	cl.waits = true
	cs.ByUntil.Set(cl)
	if cl.Want.ID != "" {
		cs.ByID[cl.Want.ID] = cl
	}
	if len(cl.Want.Stations) == 0 {
		cs.anywhere.Set(cl)
	}
	for _, s := range cl.Want.Stations {
		if cs.byStation[s] == nil {
			cs.byStation[s] = newClaimList(bySeq)
		}
		cs.byStation[s].Set(cl)
	}
}

func (cs *Claims) Leave(cl *Claim) {
	if !cl.waits {
		return
	}
	cl.waits, cl.Searching = false, false
	cs.ByUntil.Delete(cl)
	if cs.ByID[cl.Want.ID] == cl {
		delete(cs.ByID, cl.Want.ID)
	}
	cs.anywhere.Delete(cl)
	for _, s := range cl.Want.Stations {
		if list := cs.byStation[s]; list != nil {
			if list.Delete(cl); list.Len() == 0 {
				delete(cs.byStation, s)
			}
		}
	}
}

// SetBack has no claim wait for longer than it asked for, since the clock was set back.
func (cs *Claims) SetBack(now unit.Moment) {
	var late []*Claim
	cs.ByUntil.Scan(func(cl *Claim) bool {
		if cl.Until > now+cl.longest() {
			late = append(late, cl)
		}
		return true
	})
	for _, cl := range late {
		cs.ByUntil.Delete(cl)
		cl.Until = now + cl.longest()
		cs.ByUntil.Set(cl)
	}
}

// longest is how long a claim may wait, from whenever on.
func (cl *Claim) longest() unit.Moment { return unit.Moment(0).After(max(cl.Want.Wait, ReadWithin)) }

// Next is when the claims want a Tick; none: not by themselves.
func (cs *Claims) Next() unit.Moment {
	switch {
	case len(cs.Search) > 0, len(cs.Fresh) > 0, len(cs.Stirred) > 0:
		return 1 // long ago
	}
	if first, ok := cs.ByUntil.Min(); ok {
		return first.Until
	}
	return 0
}

// Resume has those searched for from the beginning that waited for a definition to be read,
// which now has been: another may get what they were to have, and they looked no further.
func (cs *Claims) Resume(name schema.PlanName) {
	for _, cl := range cs.Reading[name] {
		if !cl.waits {
			continue
		}
		cl.Read, cl.After, cl.AfterNamed = 0, nil, false
		if !cl.Searching {
			cl.Searching = true
			cs.Search = append(cs.Search, cl)
		}
	}
	delete(cs.Reading, name)
}

// Freshen has an offer held against the claims that wait, if any do.
func (cs *Claims) Freshen(of *state.Offer) {
	if cs.ByUntil.Len() > 0 {
		cs.Fresh = append(cs.Fresh, of)
	}
}

// Stir notes that a station may have room for what is offered there.
func (cs *Claims) Stir(s *state.Station) {
	if s.Claimable == nil || !s.IsPull() || cs.ByUntil.Len() == 0 {
		return
	}
	if s.Rematch == nil {
		cs.Stirred = append(cs.Stirred, s)
	}
	s.Rematch = &state.Rematch{} // from the beginning
}

// FirstFor returns the first claim that takes an offer, nil if none does.
func (cs *Claims) FirstFor(of *state.Offer) *Claim {
	var found *Claim
	look := func(cl *Claim) bool {
		if found != nil && cl.Seq > found.Seq {
			return false
		}
		if cl.Takes(of) {
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
