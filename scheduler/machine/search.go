package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/claiming"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// seek hands a claim the offers that match it, up to its limit. It stops at the end of a slice,
// or when b is full; false: it did not come to the end of the offers.
func (t *turn) seek(cl *claiming.Claim) (through bool) {
	sources := t.m.sources(cl)
	for cost := 0; cost < claiming.SearchSlice; {
		src := claiming.Least(sources)
		if src == nil || len(cl.Granted)+cl.Read >= cl.Want.Limit || cl.Size >= schema.MaxClaimBytes {
			return true
		}
		if !t.HasRoom(src.S) {
			src.Head = nil // which is no progress, so it takes nothing of the slice
			continue
		}
		of := src.Head
		t.Partition.At(of.P)
		t.Probe("offer", of.P.Name)
		cost += claiming.SearchVisit + len(sources)
		if cl.Filter.Reads {
			cost += listRead + len(of.P.Raw)
		}
		switch {
		case !cl.Takes(of):
		case !t.MakeResident(of.P):
			t.awaitRead(cl, of.P)
		case !t.hand(cl, of):
			return false
		}
		cl.After, cl.AfterNamed = of, src.Named
		src.Advance(cl)
	}
	return false
}

// awaitRead has a claim wait for p's definition, if that is being read; a lost one does not
// block the offers behind it.
func (t *turn) awaitRead(cl *claiming.Claim, p *state.Plan) {
	if !t.Definitions.Of[p].Asked {
		return
	}
	cl.Read++
	cl.Until = max(cl.Until, t.Now.After(claiming.ReadWithin))
	t.Claims.Reading[p.Name] = append(t.Claims.Reading[p.Name], cl)
}

// sources are the lists of offers that cl may take, each at the first one that it has not looked
// at.
func (m *Machine) sources(cl *claiming.Claim) []claiming.Source {
	var out []claiming.Source
	add := func(s *state.Station) {
		if s == nil || s.Claimable == nil || !s.IsPull() || !m.part.HasRoom(s) {
			return
		}
		for _, src := range [...]claiming.Source{
			{S: s, List: s.Claimable.Named[cl.Want.WorkerID], Named: true},
			{S: s, List: s.Claimable.Any},
		} {
			if src.List == nil || src.List.Len() == 0 {
				continue
			}
			if src.Advance(cl); src.Head != nil {
				out = append(out, src)
			}
		}
	}
	for _, name := range cl.Want.Stations {
		add(m.part.Stations[name])
	}
	if len(cl.Want.Stations) == 0 {
		m.part.Claims.Offering.Scan(func(_ string, s *state.Station) bool {
			add(s)
			return true
		})
	}
	return out
}
