package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// create accepts a plan, or treats one that exists as the request says.
func (t *turn) create(c schema.CreatePlan) (schema.Created, error) {
	d := c.Definition
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := t.readable(name); err != nil {
		return schema.Created{}, err
	}
	if c.Task && !t.stations[name.Station].isTaskType() {
		return schema.Created{}, &schema.Error{
			Code: schema.CodeNotFound, Field: "type", Message: fmt.Sprintf("there is no task type %q any more", name.Station),
		}
	}
	keeps := d.Plan.OnConflict == schema.ConflictKeep
	if p := t.plans[name]; p != nil {
		if keeps {
			t.keep(p, d.Raw)
		}
		return t.createOver(p, c)
	}
	if told, done := t.doneLately(c, name); done {
		return told, nil
	}
	if d.Plan.Batch != 0 {
		return schema.Created{}, &schema.Error{
			Code: schema.CodeInvalidPlan, Field: "batch",
			Message: "batch is how many items a plan with an inbox hands over, and plans.push makes those; leave it out",
		}
	}
	// A plan is entered only when its first time is known; an unfit definition
	// must leave no trace.
	p := &plan{name: name}
	p.accepted = t.now / 1000 * 1000 // answers and rows show milliseconds
	if err := t.prepare(p, d); err != nil {
		return schema.Created{}, err
	}
	err := p.rounded()
	if err == nil {
		err = t.admits(p)
	}
	if err != nil {
		t.dropStation(p.station)
		return schema.Created{}, err
	}
	t.incarnation++
	p.incarnation, p.revision, p.trace, p.kept = t.incarnation, 1, traceOf(c.Trace), keeps
	if d.Plan.Paused {
		p.halt = paused
	}
	t.enter(p)
	t.b.appendRow(RowDefinition, p.name, 0, p.raw)
	t.touch(p)
	t.tell(p, schema.Notice{Kind: schema.NoticeCreated})
	p.lookAhead(0)
	if !d.Plan.NoKeep {
		t.skipPassed(p, p.accepted, schema.ReasonPast)
	}
	return t.created(p, true), nil
}

// prepare gives p, which is not in the table yet, its definition and its station.
func (m *Machine) prepare(p *plan, d *schema.Definition) error {
	if err := p.define(d); err != nil {
		return err
	}
	p.station = m.station(p.name.Station)
	m.agree(p, &d.Plan)
	if err := p.tooLarge(); err != nil {
		m.dropStation(p.station)
		return err
	}
	return nil
}

// readable refuses what would overwrite a plan that is stored and cannot be read.
func (m *Machine) readable(name schema.PlanName) error {
	err := m.broken[name]
	if err == nil {
		return nil
	}
	return &schema.Error{
		Code: schema.CodeConflict, Field: "plan_id",
		Message: fmt.Sprintf("%s is stored, but cannot be read (%v); it is neither run nor overwritten: use another plan_id, and tell your operator", name, err),
	}
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

// rounded refuses a definition with a number that would lose digits in the encoding which the
// station wants: a worker would be given another, unseen.
func (p *plan) rounded() error {
	if p.station.record == nil || p.station.record.Encoding != wire.MsgPack.String() {
		return nil
	}
	field, number := wire.Trust(p.enc, p.raw).Rounded()
	if number.IsZero() {
		return nil
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: field,
		Message: fmt.Sprintf("%s has the number %.60s, and station %s wants MessagePack, which cannot hold all its digits: send it as a text, or let the station's encoding be json",
			field, number, p.name.Station),
	}
}

// created is the answer to create, after a first look at the plan: one whose
// times have all passed closes here and says so.
func (t *turn) created(p *plan, isNew bool) schema.Created {
	out := schema.Created{
		PlanID: p.name.PlanID, Station: p.name.Station, PlanTime: p.comes(t.now), Created: isNew, Revision: p.revision,
	}
	t.look(p)
	out.State = p.status()
	if p.removed {
		out.State, out.Reason = schema.StatusClosed, schema.ReasonSkipped
	}
	return out
}

// createOver is create of an id that exists.
func (t *turn) createOver(p *plan, c schema.CreatePlan) (schema.Created, error) {
	if p.closing {
		return schema.Created{}, &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s was closed and its last execution is still under way; try again when it has ended, or use another plan_id", p.name),
		}
	}
	switch c.Definition.Plan.OnConflict {
	case schema.ConflictKeep:
		t.b.affirm(p)
		s := p.standing(t.now)
		return schema.Created{
			PlanID: s.PlanID, Station: s.Station, State: s.State, PlanTime: s.PlanTime, Revision: s.Revision,
		}, nil
	case schema.ConflictUpdate:
		return t.redefine(p, c.Definition)
	default:
		return schema.Created{}, &schema.Error{
			Code: schema.CodeAlreadyExists, Field: "plan_id",
			Message: fmt.Sprintf("%s exists; say on_conflict keep or update, or use another plan_id", p.name),
		}
	}
}

// update replaces the definition that was read at c.Revision.
func (t *turn) update(c schema.UpdatePlan) (schema.Created, error) {
	d := c.Definition
	p, err := t.current(schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID})
	switch {
	case err != nil:
		return schema.Created{}, err
	case p.incarnation != c.Incarnation:
		return schema.Created{}, noPlan(p.name)
	case p.revision != c.Revision:
		return schema.Created{}, anotherRevision(p, c.Revision)
	}
	return t.redefine(p, d)
}

// redefine replaces the definition of p. The grid of an unchanged schedule is not
// moved; a new one counts from now on, behind the occurrences that were counted.
// What an execution in flight was given does not change; its result repeats the new
// definition, the only one that is kept.
func (t *turn) redefine(p *plan, d *schema.Definition) (schema.Created, error) {
	same := t.sameDefinition(p, d.Raw)
	if same && p != t.bereft { // else the bucket gets it again
		t.b.affirm(p)
		return t.created(p, false), nil
	}
	old, err := schema.LoadDefinition(p.raw)
	if err != nil {
		return schema.Created{}, &schema.Error{Code: schema.CodeInternal, Message: err.Error()}
	}
	if p.inbox != nil && !inboxType(&d.Plan) {
		return schema.Created{}, notInboxType()
	}
	fresh := *p
	moved := times(&old.Plan) != times(&d.Plan)
	if calendar.SpecOf(&old.Plan) != calendar.SpecOf(&d.Plan) {
		passed, _ := p.schedule.Passed(p.prev, (t.now + 1).Time())
		counted := p.prev.K + passed
		if err := enough(d, counted); err != nil {
			return schema.Created{}, err
		}
		if moved {
			fresh.accepted, fresh.base = t.now/1000*1000, counted
		}
	}
	if err := fresh.define(d); err != nil {
		return schema.Created{}, err
	}
	t.agree(&fresh, &d.Plan)
	if err := fresh.tooLarge(); err != nil {
		return schema.Created{}, err
	}
	if err := fresh.rounded(); err != nil && p.rounded() == nil { // what was taken before goes on
		return schema.Created{}, err
	}
	if p.tenant() != fresh.tenant() {
		if err := t.admits(&fresh); err != nil {
			return schema.Created{}, err
		}
	}
	skips := int64(0)
	if moved {
		t.takeStock(p) // takes all that passed, so that fresh.base is right
		skips = p.skips()
		p.accepted, p.base = fresh.accepted, fresh.base
	}
	t.countPlan(p, -1)
	err = p.define(d)
	t.countPlan(p, 1)
	if err != nil {
		return schema.Created{}, err
	}
	t.larges.forget(p)
	t.agree(p, &d.Plan)
	p.withdrawAll() // it is offered again as it now is
	p.revision++
	p.kept = p.kept && same // it was not said of this one
	p.defined = false
	t.b.appendRow(RowDefinition, p.name, 0, p.raw)
	t.touch(p)
	t.tell(p, schema.Notice{Kind: schema.NoticeUpdated})
	p.lookAhead(t.now)
	// When the clock was set back it had nothing to come that was to be set right.
	t.reckon(p, t.now)
	if moved {
		p.skipNext(skips)
	}
	if moved && !d.Plan.NoKeep {
		t.skipPassed(p, p.accepted, schema.ReasonPast)
	}
	return t.created(p, false), nil
}

// times is what a plan says about its times, without how many there are and until
// when: who says that a plan goes on for longer does not move its grid.
func times(p *schema.Plan) calendar.Spec {
	s := calendar.SpecOf(p)
	s.Repet, s.Until = 0, time.Time{}
	return s
}

// enough refuses a count of occurrences that the plan has reached already.
func enough(d *schema.Definition, counted int64) error {
	n := d.Plan.PlanRepet
	once := d.Plan.PlanType == schema.TypeNone || d.Plan.PlanType == schema.TypeTime
	if once || n == nil || *n < 0 || *n > counted {
		return nil
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: "plan_repet",
		Message: fmt.Sprintf("plan_repet counts all occurrences since the plan was created, and there were %d: say more than that, -1 for no end, or close the plan", counted),
	}
}
