package machine

import (
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

// create accepts a plan; on_conflict decides about an existing one.
func create(t *turn, c command.CreatePlan) (schema.Created, error) {
	d := c.Definition
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := t.Readable(name); err != nil {
		return schema.Created{}, err
	}
	if c.Task && !t.Stations[name.Station].IsTaskType() {
		return schema.Created{}, &schema.Error{
			Code: schema.CodeNotFound, Field: "type", Message: fmt.Sprintf("there is no task type %q any more", name.Station),
		}
	}
	keeps := d.Plan.OnConflict == schema.ConflictKeep
	if p := t.Plans[name]; p != nil {
		if keeps {
			t.keep(p, d.Raw)
		}
		return t.createOver(p, c)
	}
	if answer, done, err := t.closedBefore(c, name); done || err != nil {
		return answer, err
	}
	if d.Plan.Batch != 0 {
		return schema.Created{}, &schema.Error{
			Code: schema.CodeInvalidPlan, Field: "batch",
			Message: "batch is how many items a plan with an inbox hands over, and plans.push makes those; leave it out",
		}
	}
	// The plan is added to the table only once its first due time is known, because an unfit
	// definition must leave no trace.
	p := &state.Plan{Name: name}
	p.Accepted = t.Now / 1000 * 1000 // answers and rows show milliseconds
	if err := t.Prepare(p, d); err != nil {
		return schema.Created{}, err
	}
	err := p.Rounded()
	if err == nil {
		err = t.fitsCalendars(p, &d.Plan)
	}
	if err == nil {
		err = t.Admits(p)
	}
	if err != nil {
		t.DropStation(p.Station)
		return schema.Created{}, err
	}
	t.Incarnation++
	p.Incarnation, p.Revision, p.Trace, p.Kept = t.Incarnation, 1, state.TraceOf(c.Trace), keeps
	if d.Plan.Paused {
		p.Suspension = &state.Suspension{Status: schema.StatusPaused, Requested: state.Requested{Attribution: t.Asked}}
	}
	t.Enter(p)
	t.Batch.AppendRow(event.RowDefinition, p.Name, 0, p.Raw)
	t.Touch(p)
	t.Notify(p, schema.Notice{Kind: schema.NoticeCreated})
	p.LookAhead(0)
	if !d.Plan.NoKeep {
		transition.SkipAccepted(&t.Turn, p)
	}
	return t.created(p, true), nil
}

// created looks at the new plan, and then answers the create, so that the answer shows the close
// of a plan whose times have all passed.
func (t *turn) created(p *state.Plan, isNew bool) schema.Created {
	out := schema.Created{
		PlanID: p.Name.PlanID, Station: p.Name.Station, PlanTime: state.NextDue(p, t.Now), Created: isNew, Revision: p.Revision,
	}
	t.Evaluate(p)
	out.State = p.Status()
	if p.Removed {
		out.State, out.Reason = schema.StatusClosed, schema.ReasonSkipped
	}
	return out
}

// createOver is create of an id that exists.
func (t *turn) createOver(p *state.Plan, c command.CreatePlan) (schema.Created, error) {
	if p.Closing {
		return schema.Created{}, &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s was closed and its last execution is still under way; try again when it has ended, or use another plan_id", p.Name),
		}
	}
	switch c.Definition.Plan.OnConflict {
	case schema.ConflictKeep:
		t.Batch.Affirm(p)
		s := view.Standing(p, t.Now)
		return schema.Created{
			PlanID: s.PlanID, Station: s.Station, State: s.State, PlanTime: s.PlanTime, Revision: s.Revision,
		}, nil
	case schema.ConflictUpdate:
		return t.replaced(p, c.Definition)
	default:
		return schema.Created{}, &schema.Error{
			Code: schema.CodeAlreadyExists, Field: "plan_id",
			Message: fmt.Sprintf("%s exists; say on_conflict keep or update, or use another plan_id", p.Name),
		}
	}
}

// update replaces the definition that was read at c.Revision.
func update(t *turn, c command.UpdatePlan) (schema.Created, error) {
	d := c.Definition
	p, err := t.m.current(schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID})
	switch {
	case err != nil:
		return schema.Created{}, err
	case p.Incarnation != c.Incarnation:
		return schema.Created{}, noPlan(p.Name)
	case p.Revision != c.Revision:
		return schema.Created{}, anotherRevision(p, c.Revision)
	}
	return t.redefined(p, d)
}

// replaced is redefined by a whole definition. The answer names the fields that it leaves out,
// because its user may have meant to change one field alone.
func (t *turn) replaced(p *state.Plan, d *schema.Definition) (schema.Created, error) {
	was, same := p.Raw, t.SameDefinition(p, d.Raw)
	out, err := t.redefined(p, d)
	if err != nil || same {
		return out, err
	}
	old, err := schema.LoadDefinition(was)
	if err != nil {
		return schema.Created{}, &schema.Error{Code: schema.CodeInternal, Message: err.Error()}
	}
	out.Dropped = command.DroppedOfPlan(old.Value(), d.Value())
	return out, nil
}

// redefined replaces the definition of p, looks at p, and answers.
func (t *turn) redefined(p *state.Plan, d *schema.Definition) (schema.Created, error) {
	if err := t.redefine(p, d); err != nil {
		return schema.Created{}, err
	}
	return t.created(p, false), nil
}

// redefine replaces the definition of p. The grid of an unchanged schedule is not moved; a new
// schedule counts from now on, after the occurrences that were counted. An execution in flight
// keeps its messages; its result repeats the new definition, because the old one is not kept.
// The caller then looks at p, because its next due time may have changed.
func (t *turn) redefine(p *state.Plan, d *schema.Definition) error {
	if t.SameDefinition(p, d.Raw) && p != t.Missing { // else the bucket gets it again
		t.Batch.Affirm(p)
		return nil
	}
	old, err := schema.LoadDefinition(p.Raw)
	if err != nil {
		return &schema.Error{Code: schema.CodeInternal, Message: err.Error()}
	}
	if err := forgotten(old, d); err != nil {
		return err
	}
	if p.Inbox != nil {
		if err := state.InboxTakes(&d.Plan); err != nil {
			return err
		}
	}
	if err := keptBy(p, old, d); err != nil {
		return err
	}
	fresh := *p
	moved := times(&old.Plan) != times(&d.Plan) || movedBy(&old.Plan) != movedBy(&d.Plan)
	if calendar.SpecOf(&old.Plan) != calendar.SpecOf(&d.Plan) {
		passed, _ := p.Schedule.Passed(p.Prev, (t.Now + 1).Time())
		counted := p.Prev.K + passed
		if err := enough(d, counted); err != nil {
			return err
		}
		if moved {
			fresh.Accepted, fresh.Base = t.Now/1000*1000, counted
		}
	}
	if err := fresh.Define(d, &t.Calendars.Set); err != nil {
		return err
	}
	if moved || !sameCalendars(&old.Plan, &d.Plan) { // else another field of a plan without a time could not be changed
		if err := t.fitsCalendars(&fresh, &d.Plan); err != nil {
			return err
		}
	}
	if err := t.comesAgain(p, &fresh, &old.Plan, &d.Plan); err != nil {
		return err
	}
	t.Agree(&fresh, &d.Plan)
	if moved && d.Plan.PlanType == schema.TypeNone {
		if err := t.runsAtOnce(&fresh); err != nil {
			return err
		}
	}
	if err := fresh.TooLarge(); err != nil {
		return err
	}
	if err := fresh.Rounded(); err != nil && p.Rounded() == nil { // a number that was accepted before stays
		return err
	}
	if p.Tenant() != fresh.Tenant() {
		if err := t.Admits(&fresh); err != nil {
			return err
		}
	}
	skips, asked := int64(0), state.Requested{}
	if moved {
		t.takeStock(p) // takes all that passed, so that fresh.base is right
		skips, asked = p.Skips(), p.SkipRequested()
		p.Accepted, p.Base = fresh.Accepted, fresh.Base
	} else if p.Rule() != fresh.Rule() {
		t.noteExcluded(p, (t.Now + 1).Time())
	}
	if err := t.Replace(p, d); err != nil {
		return err
	}
	p.LookAhead(t.Now)
	// After a setback of the clock there was no next occurrence whose time was to be reckoned
	// anew.
	t.reckon(p, t.Now)
	if moved {
		p.SkipNext(skips, asked)
	}
	if moved && !d.Plan.NoKeep {
		transition.SkipAccepted(&t.Turn, p)
	}
	return nil
}

// times is the schedule of a plan without its count and its end, so that an update which extends
// the plan does not move its grid.
func times(p *schema.Plan) calendar.Spec {
	s := calendar.SpecOf(p)
	s.Repet, s.Until = 0, time.Time{}
	return s
}

// movedBy reports that calendars move the occurrences of a plan, which are then counted on from
// the last one, and not from the beginning of a grid.
func movedBy(p *schema.Plan) bool {
	return p.HasCalendars() && p.Excluded != "" && p.Excluded != schema.ExcludedSkip
}

// sameCalendars reports that two plans name the same calendars.
func sameCalendars(a, b *schema.Plan) bool {
	return slices.Equal(a.Exclude, b.Exclude) && slices.Equal(a.Only, b.Only)
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
