package machine

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ask carries out one command and answers it.
func (m *Machine) ask(now moment, ev Ask, b *Batch) {
	switch c := ev.What.(type) {
	case schema.CreatePlan:
		answer, err := m.create(c, now, b)
		b.answer(ev.From, answer, err)
	case schema.GetPlan:
		m.get(c, ev.From, b)
	case schema.LookPlans:
		m.list(c, ev.From, b)
	case schema.OpenRuns:
		m.openRuns(c, ev.From, b)
	case schema.ClosePlan:
		m.closeOnRequest(c.Name, ev.From, now, b)
	case schema.RemovePlan:
		m.remove(c.Name, ev.From, now, b)
	case schema.PutStation:
		m.putStation(c, ev.From, b)
	case schema.GetStation:
		m.getStation(c, ev.From, b)
	case schema.DeleteStation:
		m.deleteStation(c, ev.From, b)
	case schema.LookStations:
		m.listStations(c, ev.From, b)
	case schema.LookWorkers:
		m.lookWorkers(c, ev.From, now, b)
	}
}

// create accepts a plan, or treats one that exists as the request says.
func (m *Machine) create(c schema.CreatePlan, now moment, b *Batch) (schema.Created, error) {
	d := c.Definition
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := m.broken[name]; err != nil {
		return schema.Created{}, &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s is stored, but cannot be read (%v); it is neither run nor overwritten: use another plan_id, and tell your operator", name, err),
		}
	}
	if p := m.plans[name]; p != nil {
		return m.createOver(p, c, now, b)
	}
	// A plan is entered only when its first time is known; an unfit definition
	// must leave no trace.
	p := &plan{name: name}
	p.accepted = now / 1000 * 1000 // answers and rows show milliseconds
	if err := p.define(d); err != nil {
		return schema.Created{}, err
	}
	p.station = m.station(name.Station)
	m.agree(p, &d.Plan)
	if err := p.tooLarge(); err != nil {
		m.dropStation(p.station)
		return schema.Created{}, err
	}
	m.incarnation++
	p.incarnation, p.revision, p.trace = m.incarnation, 1, c.Trace
	if d.Plan.Paused {
		p.halt = paused
	}
	m.enter(p)
	b.appendRow(RowDefinition, p.name, 0, p.raw)
	m.touch(p, now, b)
	m.tell(p, schema.Notice{Kind: schema.NoticeCreated}, now, b)
	p.lookAhead(0)
	if !d.Plan.NoKeep {
		m.skipPassed(p, p.accepted, schema.ReasonPast, now, b)
	}
	return m.created(p, true, now, b), nil
}

// tooLarge refuses a definition that outgrows its bound in the encoding that the
// station wants: control characters are six times as long in JSON.
func (p *plan) tooLarge() error {
	if p.station.record == nil {
		return nil
	}
	enc, ok := wire.ParseEncoding(p.station.record.Encoding)
	if !ok || enc == p.enc {
		return nil
	}
	if size := len(wire.Trust(p.enc, p.raw).AppendTo(nil, enc)); size > schema.MaxDefinitionBytes {
		return &schema.Error{
			Code: schema.CodeTooLarge,
			Message: fmt.Sprintf("station %s wants %s, in which the definition has %d bytes; at most %d are taken",
				p.name.Station, enc, size, schema.MaxDefinitionBytes),
		}
	}
	return nil
}

// created is the answer to create, after a first look at the plan: one whose
// times have all passed closes here and says so.
func (m *Machine) created(p *plan, isNew bool, now moment, b *Batch) schema.Created {
	out := schema.Created{
		PlanID: p.name.PlanID, Station: p.name.Station, PlanTime: p.next.At, Created: isNew, Revision: p.revision,
	}
	m.look(p, now, b)
	out.State = p.status()
	if p.removed {
		out.State, out.Reason = schema.StatusClosed, schema.ReasonSkipped
	}
	return out
}

// createOver is create of an id that exists.
func (m *Machine) createOver(p *plan, c schema.CreatePlan, now moment, b *Batch) (schema.Created, error) {
	if p.closing {
		return schema.Created{}, &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s was closed and its last execution is still under way; try again when it has ended, or use another plan_id", p.name),
		}
	}
	switch c.Definition.Plan.OnConflict {
	case schema.ConflictKeep:
		s := p.standing()
		return schema.Created{
			PlanID: s.PlanID, Station: s.Station, State: s.State, PlanTime: s.PlanTime, Revision: s.Revision,
		}, nil
	case schema.ConflictUpdate:
		return m.redefine(p, c.Definition, now, b)
	default:
		return schema.Created{}, &schema.Error{
			Code: schema.CodeAlreadyExists, Field: "plan_id",
			Message: fmt.Sprintf("%s exists; say on_conflict keep or update, or use another plan_id", p.name),
		}
	}
}

// redefine replaces the definition of p. The grid of an unchanged schedule is not
// moved; a new one counts from now on, behind the occurrences that were counted.
// What an execution in flight was given does not change.
func (m *Machine) redefine(p *plan, d *schema.Definition, now moment, b *Batch) (schema.Created, error) {
	if bytes.Equal(p.raw, d.Raw) {
		return m.created(p, false, now, b), nil
	}
	old, err := schema.LoadDefinition(p.raw)
	if err != nil {
		return schema.Created{}, &schema.Error{Code: schema.CodeInternal, Message: err.Error()}
	}
	fresh := *p
	moved := calendar.SpecOf(&old.Plan) != calendar.SpecOf(&d.Plan)
	if moved {
		fresh.accepted = now / 1000 * 1000
		fresh.base = fresh.prev.K
	}
	if err := fresh.define(d); err != nil {
		return schema.Created{}, err
	}
	m.agree(&fresh, &d.Plan)
	if err := fresh.tooLarge(); err != nil {
		return schema.Created{}, err
	}
	*p = fresh
	p.revision++
	p.defined = false
	b.appendRow(RowDefinition, p.name, 0, p.raw)
	m.touch(p, now, b)
	m.tell(p, schema.Notice{Kind: schema.NoticeUpdated}, now, b)
	p.lookAhead(now)
	if moved && !d.Plan.NoKeep {
		m.skipPassed(p, p.accepted, schema.ReasonPast, now, b)
	}
	return m.created(p, false, now, b), nil
}

// closeOnRequest lets the execution in flight finish; what is not with a worker
// is skipped, so that nothing disappears without a line.
func (m *Machine) closeOnRequest(name schema.PlanName, from Asker, now moment, b *Batch) {
	p := m.plans[name]
	if p == nil || p.closing {
		b.answer(from, nil, noPlan(name))
		return
	}
	p.closing = true
	m.touch(p, now, b)
	for _, o := range slices.Clone(p.open) {
		if !o.delivered() {
			m.abandon(p, o, schema.ReasonManual, now, b)
		}
	}
	answer := p.standing()
	answer.State, answer.PlanTime = schema.StatusClosed, time.Time{}
	m.look(p, now, b)
	b.answer(from, answer, nil)
}

// remove takes the plan out at once; who works on it is told to stop.
func (m *Machine) remove(name schema.PlanName, from Asker, now moment, b *Batch) {
	p := m.plans[name]
	if p == nil || p.closing {
		b.answer(from, nil, noPlan(name))
		return
	}
	for len(p.open) > 0 {
		m.abandon(p, p.open[0], schema.ReasonManual, now, b)
	}
	answer := p.standing()
	answer.State, answer.PlanTime = schema.StatusClosed, time.Time{}
	m.leave(p, schema.NoticeRemoved, now, b)
	b.answer(from, answer, nil)
}

// close takes a plan out that has nothing more to come.
func (m *Machine) close(p *plan, now moment, b *Batch) {
	m.leave(p, schema.NoticeClosed, now, b)
}

func (m *Machine) leave(p *plan, kind schema.NoticeKind, now moment, b *Batch) {
	b.appendRow(RowDefinition, p.name, 0, nil)
	m.unwriteGone(p, b.Number)
	m.forget(p)
	m.tell(p, schema.Notice{Kind: kind}, now, b)
}

func noPlan(name schema.PlanName) error {
	return &schema.Error{
		Code: schema.CodeNotFound, Field: "plan_id",
		Message: fmt.Sprintf("there is no plan %s; it may have closed: plans.runs shows what it did", name),
	}
}
