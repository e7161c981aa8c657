package claiming

import (
	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// StirSlice bounds the offers that are matched with the waiting claims at a time when a station
// has room again.
const StirSlice = 256

// Claims are the waiting claims with their indexes. They belong to the leader alone.
type Claims struct {
	Offering  btree.Map[string, *state.Station] // pull stations that have or had an offer
	byStation map[string]*btree.BTreeG[*Claim]
	anywhere  *btree.BTreeG[*Claim] // claims that name no station
	ByUntil   *btree.BTreeG[*Claim]
	ByID      map[string]*Claim
	Seq       uint64

	Search  []*Claim                     // claims with a search under way
	Reading map[schema.PlanName][]*Claim // claims whose search waits for a definition
	Fresh   []*state.Offer               // offers to match with the waiting claims
	Stirred []*state.Station             // pull stations that may have room again
	Served  []*Claim                     // claims that were granted an execution in this step
}

// New returns an empty set of claims.
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

// Enter adds a claim, which waits from here on.
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

// Leave removes a claim, if it waits.
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

// SetBack shortens the claims that would wait longer than requested, because the clock was set
// back.
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

// longest is the maximum duration of a claim, from any moment on.
func (cl *Claim) longest() unit.Moment { return unit.Moment(0).After(max(cl.Want.Wait, ReadWithin)) }

// Next is when the claims need a Tick; 0: they need none.
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

// Resume restarts the searches that waited for a definition, which has been read, because
// another claim may get the offers that they expected, and they had looked no further.
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

// Freshen matches an offer with the waiting claims, if there are any.
func (cs *Claims) Freshen(of *state.Offer) {
	if cs.ByUntil.Len() > 0 {
		cs.Fresh = append(cs.Fresh, of)
	}
}

// Stir notes that a station may have room for its offers.
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
	consider := func(cl *Claim) bool {
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
		list.Scan(consider)
	}
	cs.anywhere.Scan(consider)
	return found
}
