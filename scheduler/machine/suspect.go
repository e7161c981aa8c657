package machine

import (
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// suspect is the plan that is being looked at.
type suspect struct {
	p      *state.Plan
	blamed bool
	asked  bool
	reads  bool
}

// begin notes that a step begins; asked: for a request.
func (s *suspect) begin(asked bool) { *s = suspect{asked: asked} }

// at notes that p is looked at from here on.
func (m *Partition) at(p *state.Plan) {
	if m.suspect.p != p {
		m.suspect.p, m.suspect.blamed = p, p.IsBlamed()
	}
}

// Suspect says what was looked at when a Step, or the Seal of b, panicked.
func (m *Machine) Suspect(b *batch.Batch) event.Suspect {
	s := m.suspect
	if b.Sealing != nil {
		s = suspect{p: b.Sealing, blamed: b.Sealing.IsBlamed()}
	}
	out := event.Suspect{Asked: s.asked, Blamed: s.blamed, Reads: s.reads}
	if s.p != nil {
		out.Name, out.Incarnation = s.p.Name, s.p.Incarnation
	}
	return out
}

func (t *turn) blame(ev event.Blame) {
	p := t.plans[ev.Name]
	if p == nil || p.Incarnation != ev.Incarnation {
		return
	}
	t.at(p)
	p.Stop(state.PlanError, state.Halted{Reason: schema.ReasonInternal})
	p.WithdrawAll()
	settleTurns(t.Partition, p, t.now)
	t.touch(p)
	t.tell(p, schema.Notice{Kind: schema.NoticePlanError, N: p.N, Reason: schema.ReasonInternal})
	schedule(t.Partition, p)
}

var errAside = errors.New("the scheduler failed twice at it, see its log")

// SetAside has Lead leave a plan out of the table, for the reason that its rows are right
// and the scheduler cannot deal with them. They stay as they are.
func (m *Machine) SetAside(id event.PlanID) {
	if p := m.plans[id.Name]; p != nil && p.Incarnation == id.Incarnation {
		m.broken[id.Name] = errAside
	}
}

// LeaveOut has a row that made a machine panic be left out, as one that cannot be read.
func (m *Machine) LeaveOut(id event.RowID) { m.leftOut[id] = true }

// isLeftOut reports that r is to be left out, and keeps the hands off its plan.
func (m *Machine) isLeftOut(r event.Row) error {
	if len(m.leftOut) == 0 || !m.leftOut[r.ID()] {
		return nil
	}
	err := fmt.Errorf("replay %s: the scheduler failed at the row before, see its log", r.Name)
	if r.Kind != event.RowDefinition && r.Kind != event.RowState {
		return err
	}
	m.broken[r.Name] = err
	switch p := m.plans[r.Name]; {
	case p == nil:
	case r.Kind == event.RowState:
		p.Incarnation = 0
	default:
		m.larges.Forget(p)
		p.Raw, p.Away = nil, false
	}
	return err
}

// removeBroken takes away the rows of a plan that was left alone, because a person says so.
func (t *turn) removeBroken(name schema.PlanName) {
	t.b.AppendRow(event.RowDefinition, name, 0, nil)
	t.unwriteGone(&state.Plan{Name: name, Stored: true}, t.b.Number)
	delete(t.broken, name)
}

// probe lets a test panic here.
func (m *Partition) probe(at string, name schema.PlanName) {
	if m.config.Probe != nil {
		m.config.Probe(at, name)
	}
}

// probeStep is probe at the beginning or the end of a step with ev.
func (m *Machine) probeStep(when string, ev event.Event) {
	if m.config.Probe == nil {
		return
	}
	about := fmt.Sprintf("%T", ev)
	if ask, ok := ev.(event.Ask); ok {
		about = fmt.Sprintf("%T", ask.What)
	}
	name := schema.PlanName{}
	if m.suspect.p != nil {
		name = m.suspect.p.Name
	}
	m.config.Probe(when+" "+about, name)
}
