package machine

import (
	"cmp"
	"math"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// How a claim finds what is ready: the offers of the stations that it names, as one list,
// by priority; at one priority those that name its worker first; then by due time, so that
// who comes first is served first, whatever the station.

// A source is one list of offers that a claim may take from.
type source struct {
	s     *state.Station
	list  *state.OfferList
	named bool         // of its worker alone
	head  *state.Offer // the next one; nil: no more
}

// seek hands a claim what is ready for it, as much as it wants. It looks no further than
// a slice goes, or b has room; false: it did not come to the end.
func (t *turn) seek(cl *claim) (through bool) {
	sources := t.sources(cl)
	for cost := 0; cost < searchSlice; {
		src := least(sources)
		if src == nil || len(cl.got)+cl.read >= cl.want.Limit || cl.size >= schema.MaxClaimBytes {
			return true
		}
		if !t.hasRoom(src.s) {
			src.head = nil // which is no progress, so it takes nothing of the slice
			continue
		}
		of := src.head
		t.at(of.P)
		cost += searchVisit + len(sources)
		if cl.filter.reads {
			cost += listRead + len(of.P.Raw)
		}
		switch {
		case !cl.takes(of):
		case !t.whole(of.P):
			t.awaitRead(cl, of.P)
		case !t.b.Room(costOfHand(of.P)):
			return false
		default:
			t.hand(cl, of)
		}
		t.looks++
		cl.after, cl.afterNamed = of, src.named
		src.advance(cl)
	}
	return false
}

// awaitRead has a claim wait for p's definition, if that is being read; one that is lost
// keeps nobody from what comes behind it.
func (t *turn) awaitRead(cl *claim, p *state.Plan) {
	if !t.larges.of[p].asked {
		return
	}
	cl.read++
	cl.until = max(cl.until, t.now.After(readWithin))
	t.claims.reading[p.Name] = append(t.claims.reading[p.Name], cl)
}

// sources are the lists of what cl may take, each at the first offer that it has not
// looked at.
func (m *Machine) sources(cl *claim) []source {
	var out []source
	add := func(s *state.Station) {
		if s == nil || s.Claimable == nil || !s.IsPull() || !m.hasRoom(s) {
			return
		}
		for _, src := range [...]source{
			{s: s, list: s.Claimable.Named[cl.want.WorkerID], named: true},
			{s: s, list: s.Claimable.Any},
		} {
			if src.list == nil || src.list.Len() == 0 {
				continue
			}
			if src.advance(cl); src.head != nil {
				out = append(out, src)
			}
		}
	}
	for _, name := range cl.want.Stations {
		add(m.stations[name])
	}
	if len(cl.want.Stations) == 0 {
		m.claims.offering.Scan(func(_ string, s *state.Station) bool {
			add(s)
			return true
		})
	}
	return out
}

// advance goes on to the first offer that ranks behind the last one that cl looked at.
func (src *source) advance(cl *claim) {
	src.head = nil
	if cl.after == nil {
		src.head, _ = src.list.Min()
		return
	}
	at := *cl.after
	switch {
	case src.named && !cl.afterNamed: // those of its priority were looked at
		at.Due = math.MaxInt64
	case !src.named && cl.afterNamed:
		at.Due = math.MinInt64
	}
	src.list.Ascend(&at, func(of *state.Offer) bool {
		if src.ranks(of, cl.after, cl.afterNamed) <= 0 {
			return true
		}
		src.head = of
		return false
	})
}

// ranks compares an offer of src with another, of a list that is named or not.
func (src *source) ranks(of, other *state.Offer, named bool) int {
	return cmp.Or(
		cmp.Compare(other.Priority, of.Priority),
		compareNamed(src.named, named),
		cmp.Compare(of.Due, other.Due),
		cmp.Compare(of.P.Name.Station, other.P.Name.Station),
		state.RankOf(of, other),
	)
}

// compareNamed puts what names a worker first.
func compareNamed(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// least returns the source whose offer comes first, nil when none has any.
func least(sources []source) *source {
	var first *source
	for i := range sources {
		src := &sources[i]
		if src.head != nil && (first == nil || src.ranks(src.head, first.head, first.named) < 0) {
			first = src
		}
	}
	return first
}
