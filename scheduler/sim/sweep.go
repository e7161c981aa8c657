package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// storedItem is an item in its stream.
type storedItem struct {
	itemID
	seq uint64
}

// itemID is one item, its text, and its length by its plan's record.
type itemID struct {
	name        schema.PlanName
	incarnation uint64
	n           int64
	value       string
	size        int
}

// keep stores an item.
func (d *disk) keep(i storedItem) {
	d.w.check.items.stored(i.itemID)
	d.items = append(d.items, i)
}

// sweep removes the items below the sequence keep, of one queue if it is named.
func (d *disk) sweep(name schema.PlanName, keep uint64) {
	d.items = slices.DeleteFunc(d.items, func(i storedItem) bool {
		goes := i.seq < keep && (name == schema.PlanName{} || name == i.name)
		if goes {
			d.w.check.plans.swept(i.itemID)
		}
		return goes
	})
}

// sweepNow removes dropped items from an inbox at once: a mistake.
func (d *disk) sweepNow(e event.Drop) {
	d.items = slices.DeleteFunc(d.items, func(i storedItem) bool {
		goes := i.name == e.Name && i.incarnation == e.Incarnation && i.n < e.Before
		if goes {
			d.w.check.plans.swept(i.itemID)
		}
		return goes
	})
}

// scanItems gives the machine the sizes of the stored items.
func scanItems(l *leader, then func()) {
	var items []storedItem
	l.retry(func() error { items = slices.Clone(l.d.items); return nil }, func() {
		for _, i := range items {
			l.m.ReplayItem(i.name, i.incarnation, i.n, i.size)
		}
		then()
	})
}

const (
	// sweepEvery is how often items that left their inbox are deleted, and sweptLate how many times that a
	// queue which lies behind a waiting one has to wait.
	sweepEvery = time.Second
	sweptLate  = 10
)

// noting runs f, after which there may be more to sweep.
func (s *itemCache) noting(f func()) {
	before := s.Waste()
	if f(); s.Waste() > before {
		s.sweepSoon()
	}
}

// sweepSoon deletes items that left their inbox, now and then. After a take-over it first reads the
// places of all items, and those that an earlier leader has left to delete.
func (s *itemCache) sweepSoon() {
	if s.sweeping || !s.l.leads {
		return
	}
	s.sweeping = true
	s.l.w.after(sweepEvery, s.l.mine(func() {
		s.sweeping = false
		if !s.surveyed {
			s.survey()
			return
		}
		s.rounds++
		if below, ok := s.begin(); ok {
			s.l.call(func() error { s.l.d.sweep(schema.PlanName{}, below); return nil }, func(error) {})
			if s.rounds%sweptLate == 0 {
				s.sweepEach()
			}
			s.sweepSoon()
		}
	}))
}

func (s *itemCache) survey() {
	var of []storedItem
	s.l.retry(func() error { of = slices.Clone(s.l.d.items); return nil }, func() {
		for _, i := range of {
			s.Survey(i.at(), i.seq)
		}
		s.surveyed = true
		s.sweepSoon()
	})
}

// begin returns the sequence below which no item waits; false when there is nothing to sweep.
func (s *itemCache) begin() (below uint64, ok bool) {
	next := s.l.items.chain.Revision() + 1 // items not stored yet come behind
	below, ok = s.Sweep(next)
	if s.l.w.planted(SweepsAll) {
		below = next
	}
	return below, ok
}

// sweepEach deletes the items that left queues which lie behind a waiting one.
func (s *itemCache) sweepEach() {
	late := maps.Collect(s.Late())
	for _, name := range slices.SortedFunc(maps.Keys(late), compareNames) {
		s.l.call(func() error { s.l.d.sweep(name, late[name]+1); return nil }, func(error) {})
		s.Swept(name, late[name])
	}
}
