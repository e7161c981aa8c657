package waiting

import (
	"slices"
	"strings"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Undelivered are the plans with an execution that had no responders, by the worker that they
// wait for, so that a worker that appears receives them at once.
//
// Because a million plans may wait for one worker, an arrival is noted, and Next returns the
// plans that waited by then, one by one. The zero value is empty.
type Undelivered struct {
	waiters  map[unit.Handle][]*waiter // a plan's place in each of its lists
	lists    map[Awaited]*list
	stations btree.Set[string] // stations with waiting plans
	arrivals []Awaited
	entered  uint64
}

// Awaited is the worker that a plan waits for: any worker of a station, or the one with an id.
type Awaited struct {
	Worker bool
	Name   string
}

// A list is in the order in which plans entered it.
type list struct {
	unit.List[*waiter]
	upTo uint64 // the entries up to this number are to be delivered; 0: none
}

// A waiter is a plan's place in one list.
type waiter struct {
	h       unit.Handle
	what    Awaited
	entered uint64
	unit.Neighbours[*waiter]
}

// Set has a plan wait for the first of the awaited workers, or end its wait if there are none.
// A plan that waits for the same workers already keeps its place.
func (u *Undelivered) Set(h unit.Handle, awaited []Awaited) {
	if len(awaited) == 0 && len(u.waiters) == 0 || u.Awaits(h, awaited) {
		return
	}
	u.Leave(h)
	if len(awaited) > 0 && u.lists == nil {
		u.waiters, u.lists = map[unit.Handle][]*waiter{}, map[Awaited]*list{}
	}
	for _, what := range awaited {
		l := u.lists[what]
		if l == nil {
			l = &list{}
			u.lists[what] = l
			if !what.Worker {
				u.stations.Insert(what.Name)
			}
		}
		u.entered++
		w := &waiter{h: h, what: what, entered: u.entered}
		u.waiters[h] = append(u.waiters[h], w)
		l.Push(w)
	}
}

// Awaits reports that a plan waits for exactly the awaited workers, in this order.
func (u *Undelivered) Awaits(h unit.Handle, awaited []Awaited) bool {
	return slices.EqualFunc(u.waiters[h], awaited, func(w *waiter, what Awaited) bool { return w.what == what })
}

// Leave ends the wait of a plan.
func (u *Undelivered) Leave(h unit.Handle) {
	for _, w := range u.waiters[h] {
		l := u.lists[w.what]
		if l.Drop(w); l.Head == nil {
			delete(u.lists, w.what)
			if !w.what.Worker {
				u.stations.Delete(w.what.Name)
			}
		}
	}
	delete(u.waiters, h)
}

// arriveSlice bounds the stations below a name at which an arrival is noted. The plans of the
// others are retried by themselves.
const arriveSlice = 1000

// ArriveAt notes that a worker of a station is present or, with "name.>", of all stations below
// a name.
func (u *Undelivered) ArriveAt(station string) {
	prefix, wild := strings.CutSuffix(station, ".>")
	if !wild {
		u.Arrive(Awaited{Name: station})
		return
	}
	left := arriveSlice
	u.stations.Ascend(prefix+".", func(name string) bool {
		if left--; left < 0 || !strings.HasPrefix(name, prefix+".") {
			return false
		}
		u.Arrive(Awaited{Name: name})
		return true
	})
}

// Arrive notes that an awaited worker is present.
func (u *Undelivered) Arrive(what Awaited) {
	l := u.lists[what]
	if l == nil {
		return
	}
	if l.upTo == 0 {
		u.arrivals = append(u.arrivals, what)
	}
	l.upTo = u.entered
}

// Next returns the plan to deliver next, which the caller has to remove with Leave; false if
// there is none.
func (u *Undelivered) Next() (h unit.Handle, ok bool) {
	for len(u.arrivals) > 0 {
		l := u.lists[u.arrivals[0]]
		if l != nil && l.upTo != 0 {
			if l.Head.entered <= l.upTo {
				return l.Head.h, true
			}
			l.upTo = 0
		}
		u.arrivals = u.arrivals[1:]
	}
	return 0, false
}

// First returns the plan that has waited for a worker for the longest; false if none waits.
func (u *Undelivered) First(what Awaited) (h unit.Handle, ok bool) {
	if l := u.lists[what]; l != nil {
		return l.Head.h, true
	}
	return 0, false
}

// Arrivals is the number of noted arrivals that Next has not finished.
func (u *Undelivered) Arrivals() int { return len(u.arrivals) }
