package machine

import (
	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/schema"
)

// unserved are the plans with an execution that reached nobody, by what they wait
// for, so that a worker that appears is given them at once. It is a leader's own.
//
// A million of them may wait for one worker: an arrival is noted, and Ticks take
// from its list what was there, some at a time.
type unserved struct {
	lists    map[waitFor]*waitList
	stations btree.Set[string] // those that somebody waits at
	arrivals []waitFor
	entered  uint64
}

// waitFor is a worker of a station, or the one worker of an id.
type waitFor struct {
	worker bool
	name   string
}

// A waitList is in the order in which plans entered it.
type waitList struct {
	linked[*waiter]
	upTo uint64 // those that entered until then are to be delivered; 0: none
}

// waiter is a plan's place in one list.
type waiter struct {
	p       *plan
	what    waitFor
	entered uint64
	other   *waiter // the same plan's place in another list
	neighbours[*waiter]
}

func (u *unserved) enter(w *waiter) {
	list := u.lists[w.what]
	if list == nil {
		list = &waitList{}
		u.lists[w.what] = list
		if !w.what.worker {
			u.stations.Insert(w.what.name)
		}
	}
	u.entered++
	w.entered = u.entered
	list.push(w)
}

func (u *unserved) leave(w *waiter) {
	list := u.lists[w.what]
	list.drop(w)
	if list.head == nil {
		delete(u.lists, w.what)
		if !w.what.worker {
			u.stations.Delete(w.what.name)
		}
	}
}

// arriveSlice bounds the stations below a name that an arrival is noted at. The
// plans of others are tried again by themselves.
const arriveSlice = 1000

// arriveAt notes that a worker of a station is there, or with "name.>" one of all
// stations below a name.
func (u *unserved) arriveAt(station string) {
	prefix, wild := cutWildcard(station)
	if !wild {
		u.arrive(waitFor{name: station})
		return
	}
	left := arriveSlice
	u.stations.Ascend(prefix+".", func(name string) bool {
		if left--; left < 0 || !inStation(name, prefix) {
			return false
		}
		u.arrive(waitFor{name: name})
		return true
	})
}

// arrive notes that what some may wait for is there.
func (u *unserved) arrive(what waitFor) {
	list := u.lists[what]
	if list == nil {
		return
	}
	if list.upTo == 0 {
		u.arrivals = append(u.arrivals, what)
	}
	list.upTo = u.entered
}

// next returns the plan to be delivered next, nil when there is none.
func (u *unserved) next() *plan {
	for len(u.arrivals) > 0 {
		list := u.lists[u.arrivals[0]]
		if list != nil && list.upTo != 0 {
			if list.head.entered <= list.upTo {
				return list.head.p
			}
			list.upTo = 0
		}
		u.arrivals = u.arrivals[1:]
	}
	return nil
}

// miss notes that p has an execution that reached nobody.
func (m *Machine) miss(p *plan) {
	if p.waits != nil {
		return
	}
	named := m.named(p)
	for _, id := range named {
		p.waits = &waiter{p: p, what: waitFor{worker: true, name: id}, other: p.waits}
	}
	if len(named) == 0 {
		p.waits = &waiter{p: p, what: waitFor{name: p.name.Station}}
	}
	for w := p.waits; w != nil; w = w.other {
		m.unserved.enter(w)
	}
}

// serve notes that p may wait for nobody any more.
func (m *Machine) serve(p *plan) {
	if p.waits == nil || p.unserved() {
		return
	}
	m.unwait(p)
}

func (m *Machine) unwait(p *plan) {
	for w := p.waits; w != nil; w = w.other {
		m.unserved.leave(w)
	}
	p.waits = nil
}

func (p *plan) unserved() bool {
	for _, o := range p.open {
		for _, x := range o.live {
			if x.unserved() {
				return true
			}
		}
	}
	return false
}

// welcome makes some of the executions due whose worker has appeared.
func (t *turn) welcome() {
	for range tickSlice {
		p := t.unserved.next()
		if p == nil {
			return
		}
		t.looks++
		t.at(p)
		t.unwait(p)
		for _, o := range p.open {
			for _, x := range o.live {
				if x.unserved() {
					x.retry = t.now
				}
			}
		}
		t.schedule(p)
	}
}

// named returns the workers that an execution of p goes to, one at a time: only those of
// api stations are (at a pull station worker_ids say who may claim).
func (m *Machine) named(p *plan) []string {
	if p.opts == nil || p.station.kind() != schema.KindAPI {
		return nil
	}
	return p.opts.workers
}
