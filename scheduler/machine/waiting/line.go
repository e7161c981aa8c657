package waiting

import (
	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A Line is where the plans of a station stand that has as many executions under way as it
// allows. A plan has one place in it, whatever it wants to run: so plans take turns, in the
// order in which their time came, and of those whose time came together as Before says. When
// an execution ends, some are called; who was called looks, and dispatches or leaves.
type Line struct {
	// Before is the order of two plans whose time came together; it never changes.
	Before func(a, b unit.Handle) bool

	places map[unit.Handle]*place
	order  *btree.BTreeG[*place] // of those that were not called
	called int
}

type place struct {
	h      unit.Handle
	since  unit.Moment // when what it waits for was to be dispatched
	called bool
}

func (l *Line) byTurn(a, b *place) bool {
	return a.since < b.since || a.since == b.since && l.Before(a.h, b.h)
}

// Enter gives a plan its place, since a moment. It must not have one.
func (l *Line) Enter(h unit.Handle, since unit.Moment) {
	if l.places == nil {
		l.places = map[unit.Handle]*place{}
		l.order = btree.NewBTreeGOptions(l.byTurn, btree.Options{NoLocks: true})
	}
	at := &place{h: h, since: since}
	l.places[h] = at
	l.order.Set(at)
}

// EnterCalled gives a plan the place of one that was called, since a moment.
func (l *Line) EnterCalled(h unit.Handle, since unit.Moment) {
	l.Enter(h, since)
	at := l.places[h]
	l.order.Delete(at)
	at.called = true
	l.called++
}

// Leave takes a plan out, if it stands there.
func (l *Line) Leave(h unit.Handle) {
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
		l.places, l.order = nil, nil // most stations have none, most of the time
	}
}

// Place says since when a plan stands there, and whether it was called; false: it does not.
func (l *Line) Place(h unit.Handle) (since unit.Moment, called, there bool) {
	if at := l.places[h]; at != nil {
		return at.since, at.called, true
	}
	return 0, false, false
}

// Call calls the plan whose turn it is; false: all were called.
func (l *Line) Call() (h unit.Handle, ok bool) {
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

// Len is how many stand there, and Called how many of them were called and have not looked.
func (l *Line) Len() int    { return len(l.places) }
func (l *Line) Called() int { return l.called }
