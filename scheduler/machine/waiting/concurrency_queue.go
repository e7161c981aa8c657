package waiting

import (
	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A ConcurrencyQueue is the queue of plans at a station whose executions have reached its limit. A plan has
// one place in it for all its occurrences, so that plans take turns, in the order of their
// times, and in the order of Before where the times are equal. When an execution ends, the next
// plans are called; a called plan is looked at, and dispatches or leaves.
type ConcurrencyQueue struct {
	// Before orders two plans with the same time; it never changes.
	Before func(a, b unit.Handle) bool

	places map[unit.Handle]*place
	order  *btree.BTreeG[*place] // plans that were not called
	called int
}

type place struct {
	h      unit.Handle
	called bool
	since  unit.Moment // when its occurrence was to be dispatched
}

func (l *ConcurrencyQueue) byTurn(a, b *place) bool {
	return a.since < b.since || a.since == b.since && l.Before(a.h, b.h)
}

// Enter gives a plan a place, with the time since when it waits. It must not have one.
func (l *ConcurrencyQueue) Enter(h unit.Handle, since unit.Moment) {
	if l.places == nil {
		l.places = map[unit.Handle]*place{}
		l.order = btree.NewBTreeGOptions(l.byTurn, btree.Options{NoLocks: true})
	}
	at := &place{h: h, since: since}
	l.places[h] = at
	l.order.Set(at)
}

// EnterGranted gives a plan the place of a called one, with the time since when it waits.
func (l *ConcurrencyQueue) EnterGranted(h unit.Handle, since unit.Moment) {
	l.Enter(h, since)
	at := l.places[h]
	l.order.Delete(at)
	at.called = true
	l.called++
}

// Leave removes a plan, if it is in the line.
func (l *ConcurrencyQueue) Leave(h unit.Handle) {
	at := l.places[h]
	switch {
	case at == nil:
		return
	case at.called:
		l.called--
	default:
		l.order.Delete(at)
	}
	if delete(l.places, h); len(l.places) == 0 {
		l.places, l.order = nil, nil // because most lines are empty most of the time
	}
}

// Place returns the time since when a plan stands in the line, and whether it was called; there
// is false if it does not.
func (l *ConcurrencyQueue) Entry(h unit.Handle) (since unit.Moment, called, there bool) {
	if at := l.places[h]; at != nil {
		return at.since, at.called, true
	}
	return 0, false, false
}

// Call calls the next plan; false if all were called.
func (l *ConcurrencyQueue) Grant() (h unit.Handle, ok bool) {
	if l.order == nil {
		return 0, false
	}
	next, ok := l.order.PopMin()
	if !ok {
		return 0, false
	}
	next.called = true
	l.called++
	return next.h, true
}

// Place is the place of a plan in the line, from 1, behind those that were called; 0: it does not
// stand there, or is called, or so many stand before it that they are not counted.
func (l *ConcurrencyQueue) Place(h unit.Handle) (rank int) {
	at := l.places[h]
	if at == nil || at.called {
		return 0
	}
	n := l.called
	l.order.Scan(func(other *place) bool {
		n++
		if other == at {
			rank = n
		}
		return rank == 0 && n < mostCounted
	})
	return rank
}

// Oldest is the time since when the first plan stands in the line that was not called; 0: none does.
func (l *ConcurrencyQueue) Oldest() unit.Moment {
	if l.order == nil {
		return 0
	}
	if first, ok := l.order.Min(); ok {
		return first.since
	}
	return 0
}

// mostCounted bounds how far a place is counted.
const mostCounted = 1000

// Len is the number of plans in the line, and Called the number of granted plans that no tick has
// visited yet.
func (l *ConcurrencyQueue) Len() int     { return len(l.places) }
func (l *ConcurrencyQueue) Granted() int { return l.called }
