package machine

import (
	"cmp"
	"math"

	"github.com/stationmaster-io/stationmaster/schema"
)

// How a claim finds what is ready: the offers of the stations that it names, as one list,
// by priority; at one priority those that name its worker first; then by due time, so that
// who comes first is served first, whatever the station.

// A source is one list of offers that a claim may take from.
type source struct {
	s     *station
	list  *offers
	named bool   // of its worker alone
	head  *offer // the next one; nil: no more
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
		t.at(of.p)
		cost += searchVisit + len(sources)
		if cl.filter.reads {
			cost += listRead + len(of.p.raw)
		}
		switch {
		case !cl.takes(of):
		case !t.whole(of.p):
			t.awaitRead(cl, of.p)
		case !t.b.Room(costOfHand(of.p)):
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
func (t *turn) awaitRead(cl *claim, p *plan) {
	if !t.larges.of[p].asked {
		return
	}
	cl.read++
	cl.until = max(cl.until, t.now.After(readWithin))
	t.claims.reading[p.name] = append(t.claims.reading[p.name], cl)
}

// sources are the lists of what cl may take, each at the first offer that it has not
// looked at.
func (m *Machine) sources(cl *claim) []source {
	var out []source
	add := func(s *station) {
		if s == nil || s.ready == nil || !s.isPull() || !m.hasRoom(s) {
			return
		}
		for _, src := range [...]source{
			{s: s, list: s.ready.named[cl.want.WorkerID], named: true},
			{s: s, list: s.ready.any},
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
		m.claims.offering.Scan(func(_ string, s *station) bool {
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
		at.due = math.MaxInt64
	case !src.named && cl.afterNamed:
		at.due = math.MinInt64
	}
	src.list.Ascend(&at, func(of *offer) bool {
		if src.ranks(of, cl.after, cl.afterNamed) <= 0 {
			return true
		}
		src.head = of
		return false
	})
}

// ranks compares an offer of src with another, of a list that is named or not.
func (src *source) ranks(of, other *offer, named bool) int {
	return cmp.Or(
		cmp.Compare(other.priority, of.priority),
		compareNamed(src.named, named),
		cmp.Compare(of.due, other.due),
		cmp.Compare(of.p.name.Station, other.p.name.Station),
		rankOf(of, other),
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
