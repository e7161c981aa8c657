package front

import (
	"context"
	"errors"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// plans are the verbs of plans, and the checks of their definitions.
type plans struct{ front *Front }

// create checks a plan and asks its leader for it.
func (ps plans) create(r *request) error {
	scanned := schema.ParseOptions{Scanned: true} // within the ordinary limits
	d, err := ps.definition(r.body, scanned)
	if lacksOnlyCommand(err) {
		return r.async(func(ctx context.Context) (any, error) {
			d, err := ps.commandless(ctx, r.body, scanned, err)
			if err != nil {
				return nil, err
			}
			return ps.createPlan(ctx, r, d)
		})
	}
	if err != nil {
		return err
	}
	secrets, err := ps.checkCall(d)
	switch {
	case err != nil:
		return err
	case len(secrets) > 0:
		return r.async(func(ctx context.Context) (any, error) {
			if err := ps.checkSecrets(ctx, d, secrets); err != nil {
				return nil, err
			}
			return ps.createPlan(ctx, r, d)
		})
	}
	r.pass(ps.front.placeOf(d), command.CreatePlan{Definition: d, Trace: r.trace}, func(answer any, err error) {
		if err != nil {
			r.fail(naming(d, r.body, err))
			return
		}
		r.answer(withIdle(answer, d))
	})
	return nil
}

// createPlan is the last step of create, in an async handler.
func (ps plans) createPlan(ctx context.Context, r *request, d *schema.Definition) (any, error) {
	created, err := ask[any](ctx, ps.front, ps.front.placeOf(d), command.CreatePlan{Definition: d, Trace: r.trace})
	return withIdle(created, d), naming(d, r.body, err)
}

// withIdle returns the answer to a create or an update, or to a dry run of one, with the fields of
// the plan that do nothing. A plan that was kept is another one.
func withIdle(answer any, d *schema.Definition) any {
	idle := d.Plan.IdleFields()
	if len(idle) == 0 {
		return answer
	}
	keeps := d.Plan.OnConflict == schema.ConflictKeep
	switch a := answer.(type) {
	case schema.Created:
		if a.Created || !keeps {
			a.Idle = idle
		}
		return a
	case schema.DryRun:
		if a.Created || !keeps {
			a.Idle = idle
		}
		return a
	}
	return answer
}

// definition checks a plan, and gives it an id if it has none.
func (ps plans) definition(v wire.Value, o schema.ParseOptions) (*schema.Definition, error) {
	if o.NewID == nil {
		o.NewID = ps.front.newID
	}
	d, err := schema.ParsePlan(v, o)
	if err != nil {
		return nil, ps.withCalendarErrors(v, err)
	}
	return d, nil
}

// timeFields are the fields that the calendar reads. An error in one of them may be why it
// refuses another.
var timeFields = []string{"plan_type", "plan_value", "plan_repet", "plan_time", "start_at", "end_at", "cron"}

// withCalendarErrors adds to the errors of a plan those of the calendar, which the leader
// consults only when there are no others, so that a user gets all errors at once.
func (ps plans) withCalendarErrors(v wire.Value, refused error) error {
	var errs schema.Errors
	if !errors.As(refused, &errs) || lacksOnlyCommand(refused) {
		return refused
	}
	var p schema.Plan
	for _, e := range errs {
		if e.Field == "" || slices.Contains(timeFields, e.Field) {
			return refused
		}
	}
	if wire.DecodeLoose(v, &p) != nil {
		return refused
	}
	if _, err := schema.LoadZone(p.Timezone); err != nil {
		p.Timezone = "" // any zone shows whether there is a first time
	}
	var wrong *schema.Error
	if _, err := calendar.Compile(calendar.SpecOf(&p), ps.front.config.Now()); errors.As(err, &wrong) {
		return append(errs[:len(errs):len(errs)], wrong)
	}
	return refused
}

// naming adds the generated id to an error that leaves open whether the plan exists, because
// the publisher could not ask again without it.
func naming(d *schema.Definition, asked wire.Value, err error) error {
	var e *schema.Error
	if !errors.As(err, &e) || e.Code != schema.CodeUnavailable {
		return err
	}
	if id := asked.Field("plan_id"); !id.IsZero() && id.Kind() != wire.KindNull {
		return err
	}
	named := *e
	named.PlanID = d.Plan.PlanID
	named.Message += "; the plan_id that was made for this plan is " + d.Plan.PlanID
	return &named
}

// lacksOnlyCommand reports that nothing else is wrong with a plan.
func lacksOnlyCommand(err error) bool {
	errs, are := errors.AsType[schema.Errors](err)
	return are && len(errs) == 1 && errs[0].Field == "command" && errs[0].Code == schema.CodeInvalidPlan
}

// commandless checks a plan that was refused only because it has no command, which plans of
// pub stations may omit.
func (ps plans) commandless(ctx context.Context, v wire.Value, o schema.ParseOptions, refused error) (*schema.Definition, error) {
	name, _ := v.Field("station").Text()
	station, err := ask[schema.Station](ctx, ps.front, 0, command.GetStation{Station: name})
	switch {
	case errors.Is(err, schema.CodeNotFound):
		return nil, refused
	case err != nil:
		return nil, err
	case station.Kind != schema.KindPub:
		return nil, refused
	}
	o.NoCommand = true
	return ps.definition(v, o)
}

// checked is definition, in an async handler, for a plan that is no request of its own: it is
// held to the limits of one, and may lack a command where its station allows it.
func (ps plans) checked(ctx context.Context, r *request, v wire.Value, o schema.ParseOptions) (*schema.Definition, error) {
	if err := checkSize(v, r.endpoint.invalid); err != nil {
		return nil, err
	}
	o.Scanned = true
	d, err := ps.definition(v, o)
	if lacksOnlyCommand(err) {
		return ps.commandless(ctx, v, o, err)
	}
	return d, err
}

// get asks for one plan. Its definition may be large, and in another encoding, so
// the answer is written by an async handler and not in the leader's callback.
func (ps plans) get(r *request) error {
	var q schema.GetPlanRequest
	if err := r.decode(&q); err != nil {
		return err
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		view, err := ask[command.PlanView](ctx, ps.front, ps.front.partition(name.PlanID), command.GetPlan{Name: name, InForce: q.InForce})
		view.Plan, view.State.Incarnation = schema.HidePlan(view.Plan), view.Incarnation
		return view.PlanView, err
	})
}
