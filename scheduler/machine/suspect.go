package machine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dchest/siphash"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What a machine can tell of its own panic. A defect, or a row that no release would
// write, may make any step panic, and a leader or a follower goes on without what did it:
//
//	request                     answered internal, and not tried again
//	a plan, in its own time     Blame: plan_error, reason internal, until a person resets it
//	a plan that was blamed      SetAside: in no table of this process
//	a row, while it is replayed LeaveOut: as a row that cannot be read
//
// The machine that panicked is thrown away, since nothing in it is known to be right.

// Blame stops a plan that made a machine panic when its own time had come, as plan_error
// does, before anything of it is looked at again. What it was about to run stays: reset
// goes on with it.
type Blame struct {
	Name        schema.PlanName
	Incarnation uint64
}

func (Blame) event() {}

// A Suspect is what a machine that panicked was looking at.
type Suspect struct {
	Name        schema.PlanName // zero: no plan
	Incarnation uint64
	// Asked says that it was looked at for a request, which is to blame as well as it is.
	Asked bool
	// Blamed says that it was stopped by a Blame already.
	Blamed bool
	// Reads says that the step reads and changes nothing: but for the effects that it
	// added to its batch, machine and batch are as they were.
	Reads bool
}

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
func (m *Machine) at(p *state.Plan) {
	if m.suspect.p != p {
		m.suspect.p, m.suspect.blamed = p, p.IsBlamed()
	}
}

// Suspect says what was looked at when a Step, or the Seal of b, panicked.
func (m *Machine) Suspect(b *Batch) Suspect {
	s := m.suspect
	if b.sealing != nil {
		s = suspect{p: b.sealing, blamed: b.sealing.IsBlamed()}
	}
	out := Suspect{Asked: s.asked, Blamed: s.blamed, Reads: s.reads}
	if s.p != nil {
		out.Name, out.Incarnation = s.p.Name, s.p.Incarnation
	}
	return out
}

func (t *turn) blame(ev Blame) {
	p := t.plans[ev.Name]
	if p == nil || p.Incarnation != ev.Incarnation {
		return
	}
	t.at(p)
	p.Stop(state.PlanError, state.Halted{Reason: schema.ReasonInternal})
	p.WithdrawAll()
	t.settleTurns(p, t.now)
	t.touch(p)
	t.tell(p, schema.Notice{Kind: schema.NoticePlanError, N: p.N, Reason: schema.ReasonInternal})
	t.schedule(p)
}

// A PlanID is one plan: its name may be another's before and after.
type PlanID struct {
	Name        schema.PlanName
	Incarnation uint64
}

var errAside = errors.New("the scheduler failed twice at it, see its log")

// SetAside has Lead leave a plan out of the table, for the reason that its rows are right
// and the scheduler cannot deal with them. They stay as they are.
func (m *Machine) SetAside(id PlanID) {
	if p := m.plans[id.Name]; p != nil && p.Incarnation == id.Incarnation {
		m.broken[id.Name] = errAside
	}
}

// A RowID tells a row from others.
type RowID struct {
	Kind RowKind
	Name schema.PlanName
	Hash uint64
}

// ID tells r from others. It is not frozen.
func (r Row) ID() RowID {
	h := siphash.Hash(0, 0, binary.BigEndian.AppendUint64(append([]byte(nil), r.Value...), uint64(r.N)))
	return RowID{r.Kind, r.Name, h}
}

// LeaveOut has a row that made a machine panic be left out, as one that cannot be read.
func (m *Machine) LeaveOut(id RowID) { m.leftOut[id] = true }

// isLeftOut reports that r is to be left out, and keeps the hands off its plan.
func (m *Machine) isLeftOut(r Row) error {
	if len(m.leftOut) == 0 || !m.leftOut[r.ID()] {
		return nil
	}
	err := fmt.Errorf("replay %s: the scheduler failed at the row before, see its log", r.Name)
	if r.Kind != RowDefinition && r.Kind != RowState {
		return err
	}
	m.broken[r.Name] = err
	switch p := m.plans[r.Name]; {
	case p == nil:
	case r.Kind == RowState:
		p.Incarnation = 0
	default:
		m.larges.forget(p)
		p.Raw, p.Away = nil, false
	}
	return err
}

// removeBroken takes away the rows of a plan that was left alone, because a person says so.
func (t *turn) removeBroken(name schema.PlanName) {
	t.b.appendRow(RowDefinition, name, 0, nil)
	t.unwriteGone(&state.Plan{Name: name, Stored: true}, t.b.Number)
	delete(t.broken, name)
}

// probe lets a test panic here.
func (m *Machine) probe(at string, name schema.PlanName) {
	if m.config.Probe != nil {
		m.config.Probe(at, name)
	}
}

// probeStep is probe at the beginning or the end of a step with ev.
func (m *Machine) probeStep(when string, ev Event) {
	if m.config.Probe == nil {
		return
	}
	about := fmt.Sprintf("%T", ev)
	if ask, ok := ev.(Ask); ok {
		about = fmt.Sprintf("%T", ask.What)
	}
	name := schema.PlanName{}
	if m.suspect.p != nil {
		name = m.suspect.p.Name
	}
	m.config.Probe(when+" "+about, name)
}
