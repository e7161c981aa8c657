package machine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Undone takes back the turn at which a Step panicked, and reports whether the machine is as it
// was before that turn. It is not when the panic came outside of a turn, or while the queues were
// set at the end of one. The earlier turns of the same Step have happened.
func (m *Machine) Undone() bool {
	if m.under == nil || !m.part.IsOpen() {
		return false
	}
	m.under.Undo()
	m.under.finishServed()
	return true
}

// Happened reports that the event of the last Step has happened, though the Step panicked in a
// later turn, which is undone.
func (m *Machine) Happened() bool { return m.under != nil && m.under.happened }

// Answered reports that a claim was answered in the last Step, because it got an execution
// before the Step panicked.
func (m *Machine) Answered(from event.Asker) bool {
	return m.under != nil && slices.Contains(m.under.answered, from)
}

// Suspect returns the plan that a Step was dealing with when it panicked.
func (m *Machine) Suspect() event.Suspect {
	s := m.part.Subject
	out := event.Suspect{Asked: s.Asked, Blamed: s.Blamed, Reads: s.Reads}
	if s.P != nil {
		out.Name, out.Incarnation = s.P.Name, s.P.Incarnation
	}
	return out
}

func (t *turn) blame(ev event.Blame) {
	p := t.Plans[ev.Name]
	if p == nil || p.Incarnation != ev.Incarnation {
		return
	}
	t.At(p)
	t.stop(p)
}

// stop has p wait for a person, because the scheduler cannot deal with it.
func (t *turn) stop(p *state.Plan) {
	p.Suspension = &state.Suspension{Status: schema.StatusPlanError, Reason: schema.ReasonInternal}
	t.Touch(p)
	t.Notify(p, schema.Notice{Kind: schema.NoticePlanError, N: p.N, Reason: schema.ReasonInternal})
	t.Changed(p)
}

var errAside = errors.New("the scheduler failed twice at it, see its log")

// SetAside has Lead leave a plan out of the table, because its rows are valid and the scheduler
// cannot deal with them. They stay as they are.
func (m *Machine) SetAside(id event.PlanID) {
	if p := m.part.Plans[id.Name]; p != nil && p.Incarnation == id.Incarnation {
		m.part.Broken[id.Name] = errAside
	}
}

// LeaveOut has a row left out that made a machine panic, like one that cannot be read.
func (m *Machine) LeaveOut(id event.RowID) { m.leftOut[id] = true }

// isLeftOut reports that r is to be left out, and sets its plan aside.
func (m *Machine) isLeftOut(r event.Row) error {
	if len(m.leftOut) == 0 || !m.leftOut[r.ID()] {
		return nil
	}
	err := fmt.Errorf("replay %s: the scheduler failed at the row before, see its log", r.Name)
	if r.Kind != event.RowDefinition && r.Kind != event.RowState {
		return err
	}
	m.part.Broken[r.Name] = err
	switch p := m.part.Plans[r.Name]; {
	case p == nil:
	case r.Kind == event.RowState:
		p.Incarnation = 0
	default:
		m.part.Definitions.Forget(p)
		p.Raw, p.Evicted = nil, false
	}
	return err
}

// removeBroken removes the rows of a plan that was left alone, at a person's request.
func (t *turn) removeBroken(name schema.PlanName) {
	t.Batch.AppendRow(event.RowDefinition, name, 0, nil)
	t.OnKeep(func() {
		t.UnwriteGone(&state.Plan{Name: name, Stored: true}, t.Batch.Number)
		delete(t.Broken, name)
	})
}

// probeStep is probe at the beginning or the end of a step with ev.
func (m *Machine) probeStep(when string, ev event.Event) {
	if m.part.Config.Probe == nil {
		return
	}
	about := fmt.Sprintf("%T", ev)
	if ask, ok := ev.(event.Ask); ok {
		about = fmt.Sprintf("%T", ask.What)
	}
	name := schema.PlanName{}
	if m.part.Subject.P != nil {
		name = m.part.Subject.P.Name
	}
	m.part.Config.Probe(when+" "+about, name)
}
