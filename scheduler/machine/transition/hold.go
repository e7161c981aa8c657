package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// schedule enters the next moments that matter to p into the timetable, and those that have
// to wait into starts.
func Schedule(m *partition.Partition, p *state.Plan) {
	ends, starts := admission.NextLooks(m, p)
	if m.Holding.On {
		m.Holding.Starts.Set(p.Handle, starts)
		m.Timetable.Set(p.Handle, ends)
		return
	}
	m.Holding.Starts.Set(p.Handle, 0)
	m.Timetable.Set(p.Handle, unit.Sooner(ends, starts))
}

// nextLook is the next moment at which p is looked at.
func NextLook(m *partition.Partition, p *state.Plan) unit.Moment {
	ends, starts := admission.NextLooks(m, p)
	if m.Holding.On {
		return ends
	}
	return unit.Sooner(ends, starts)
}

// nextDue is the plan that is looked at next, and when; nil: none is.
func NextDue(m *partition.Partition) (*state.Plan, unit.Moment) {
	at := m.Timetable.Next()
	if since := m.Holding.Starts.Next(); !m.Holding.On && since != 0 && (at == 0 || since <= at) {
		return m.Handles.Of(m.Holding.Starts.First()), since
	}
	if at == 0 {
		return nil, 0
	}
	return m.Handles.Of(m.Timetable.First()), at
}

// openHeld opens what has fallen due of p and would be open if nothing were held. It has
// not begun, and is no more lost to what somebody does to its plan than what has.
func (t *Turn) OpenHeld(p *state.Plan) {
	for p.Weight() < state.MaxOpen {
		if at := admission.NextTurn(t.Partition, p); at == 0 || at > t.Now || admission.VerdictOn(t.Partition, p).Do != admission.Start {
			return
		}
		d, ok := t.choose(p, unit.DueMoment(p.Next.At))
		if !ok {
			return
		}
		t.Open(p, d)
	}
}
