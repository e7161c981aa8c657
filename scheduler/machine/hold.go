package machine

import (
	"cmp"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A holding is what bounds the results that are behind. Each result is of something that
// began, so nothing begins while they are too many, whatever would have had it begin: the
// timetable, a reply, a retry, a turn in line, a claim, a request. What is under way goes on
// and ends; deadlines count, and plans are managed. So a plan has two moments then: that at
// which something of it ends stands in the timetable, and that at which something is to
// begin in starts, where it stays due.
//
//	on    timetable  ──▶ look: what ends
//	      starts         (nobody looks)
//	off   timetable  ──▶ look    ◀── starts, whichever is first
//
// It is a leader's own, and in no row: its successor finds the same plans due.
type holding struct {
	on     bool
	starts starts
}

// Hold has nothing begin from now on, or lets everything go on: Ticks open and start what
// has fallen due meanwhile in the order in which it was due, and claims that wait are served.
func (m *Machine) Hold(on bool) {
	if m.hold.on == on {
		return
	}
	m.hold.on = on
	if on || m.claims.byUntil.Len() == 0 {
		return
	}
	m.claims.offering.Scan(func(_ string, s *station) bool {
		m.claims.stir(s)
		return true
	})
}

// Held reports that nothing begins at the moment.
func (m *Machine) Held() bool { return m.hold.on }

// schedule enters the next moments that matter to p into the timetable, and those that have
// to wait into starts.
func (m *Machine) schedule(p *plan) {
	ends, starts := m.nextLooks(p)
	if m.hold.on {
		m.hold.starts.set(p, starts)
		m.timetable.set(p.handle, ends)
		return
	}
	m.hold.starts.set(p, 0)
	m.timetable.set(p.handle, unit.Sooner(ends, starts))
}

// nextLook is the next moment at which p is looked at.
func (m *Machine) nextLook(p *plan) unit.Moment {
	ends, starts := m.nextLooks(p)
	if m.hold.on {
		return ends
	}
	return unit.Sooner(ends, starts)
}

// nextDue is the plan that is looked at next, and when; nil: none is.
func (m *Machine) nextDue() (*plan, unit.Moment) {
	at := m.timetable.next()
	if first := m.hold.starts.first(); !m.hold.on && first != nil && (at == 0 || first.at <= at) {
		return first.p, first.at
	}
	if at == 0 {
		return nil, 0
	}
	return m.handles.plan(m.timetable.first()), at
}

// errHeld refuses what would begin at once.
func errHeld() error {
	return &schema.Error{
		Code: schema.CodeUnavailable, RetryAfterMS: heldAgain,
		Message: "more results wait to be stored than may; nothing begins until they are fewer",
	}
}

// heldAgain is when who was refused may come again, in milliseconds.
const heldAgain = 250

// starts are the plans of which something is to begin, and had to wait for the end of a hold,
// by when that was to be. Few plans have ever been held, so a plan has no room for its place.
type starts struct {
	byTime *btree.BTreeG[*heldPlan]
	of     map[*plan]*heldPlan
}

// A heldPlan is a plan that is to be looked at once nothing is held any more.
type heldPlan struct {
	at unit.Moment
	p  *plan
}

func newStarts() starts {
	byTime := func(a, b *heldPlan) bool {
		if a.at != b.at {
			return a.at < b.at
		}
		return cmp.Or(cmp.Compare(a.p.name.Station, b.p.name.Station), cmp.Compare(a.p.name.PlanID, b.p.name.PlanID)) < 0
	}
	return starts{
		byTime: btree.NewBTreeGOptions(byTime, btree.Options{NoLocks: true}),
		of:     map[*plan]*heldPlan{},
	}
}

// set has p wait since a moment; none: it does not wait.
func (s *starts) set(p *plan, at unit.Moment) {
	had := s.of[p] // none, as a rule, as nothing is held: that costs nothing
	switch {
	case had == nil && at == 0, had != nil && had.at == at:
		return
	case had != nil:
		s.byTime.Delete(had)
		delete(s.of, p)
	}
	if at != 0 {
		held := &heldPlan{at, p}
		s.of[p] = held
		s.byTime.Set(held)
	}
}

// first is who has waited since the earliest moment; nil: nobody waits.
func (s *starts) first() *heldPlan {
	held, _ := s.byTime.Min()
	return held
}

// openHeld opens what has fallen due of p and would be open if nothing were held. It has
// not begun, and is no more lost to what somebody does to its plan than what has.
func (t *turn) openHeld(p *plan) {
	for p.weight() < maxOpen {
		if at := t.nextTurn(p); at == 0 || at > t.now || t.verdictOn(p) != start {
			return
		}
		d, ok := t.choose(p, unit.DueMoment(p.next.At))
		if !ok {
			return
		}
		t.open(p, d)
	}
}
