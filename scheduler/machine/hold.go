package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
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
	starts waiting.Timetable // of those that had to wait for the end of a hold
}

// Hold has nothing begin from now on, or lets everything go on: Ticks open and start what
// has fallen due meanwhile in the order in which it was due, and claims that wait are served.
func (m *Machine) Hold(on bool) {
	if m.hold.on == on {
		return
	}
	m.hold.on = on
	if on || m.claims.ByUntil.Len() == 0 {
		return
	}
	m.claims.Offering.Scan(func(_ string, s *state.Station) bool {
		m.claims.Stir(s)
		return true
	})
}

// Held reports that nothing begins at the moment.
func (m *Machine) Held() bool { return m.hold.on }

// schedule enters the next moments that matter to p into the timetable, and those that have
// to wait into starts.
func schedule(m *Partition, p *state.Plan) {
	ends, starts := nextLooks(m, p)
	if m.hold.on {
		m.hold.starts.Set(p.Handle, starts)
		m.timetable.Set(p.Handle, ends)
		return
	}
	m.hold.starts.Set(p.Handle, 0)
	m.timetable.Set(p.Handle, unit.Sooner(ends, starts))
}

// nextLook is the next moment at which p is looked at.
func nextLook(m *Partition, p *state.Plan) unit.Moment {
	ends, starts := nextLooks(m, p)
	if m.hold.on {
		return ends
	}
	return unit.Sooner(ends, starts)
}

// nextDue is the plan that is looked at next, and when; nil: none is.
func nextDue(m *Partition) (*state.Plan, unit.Moment) {
	at := m.timetable.Next()
	if since := m.hold.starts.Next(); !m.hold.on && since != 0 && (at == 0 || since <= at) {
		return m.handles.Of(m.hold.starts.First()), since
	}
	if at == 0 {
		return nil, 0
	}
	return m.handles.Of(m.timetable.First()), at
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

// openHeld opens what has fallen due of p and would be open if nothing were held. It has
// not begun, and is no more lost to what somebody does to its plan than what has.
func (t *Turn) openHeld(p *state.Plan) {
	for p.Weight() < state.MaxOpen {
		if at := nextTurn(t.Partition, p); at == 0 || at > t.now || verdictOn(t.Partition, p) != start {
			return
		}
		d, ok := t.choose(p, unit.DueMoment(p.Next.At))
		if !ok {
			return
		}
		t.open(p, d)
	}
}
