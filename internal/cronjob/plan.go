package cronjob

import (
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// times are the ext of a task's plan.
type times struct {
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// stamp sets the times of a task in its plan.
func (r *reading) stamp(created, updated time.Time) {
	r.task.CreatedAt, r.task.UpdatedAt = created, updated
	r.plan.Ext, _ = wire.ValueOf(wire.JSON, times{created, updated}) // times of this age have an encoding
}

// absent returns the names of the fields that an update removes because p has none.
func absent(p *schema.Plan) (names []string) {
	if p.Description == "" {
		names = append(names, "description")
	}
	if p.MaxConcurrency == nil {
		names = append(names, "max_concurrency")
	}
	if p.Concurrency == "" {
		names = append(names, "concurrency")
	}
	if len(p.Exclude) == 0 {
		names = append(names, "exclude")
	}
	if len(p.Only) == 0 {
		names = append(names, "only")
	}
	if p.Excluded == "" {
		names = append(names, "excluded")
	}
	return names
}

// taskOf reads a task out of a plan; false: the plan is no task, because it has another type, or
// an id that is not its name's.
func taskOf(view *schema.PlanView) (*Task, bool) {
	var p schema.Plan
	if wire.DecodeLoose(view.Plan, &p) != nil || p.Station != schema.HTTPStation || p.PlanType != schema.TypeCron || len(p.Messages) != 1 {
		return nil, false
	}
	call := new(schema.HTTPCall)
	if wire.DecodeLoose(p.Messages[0], call) != nil || call.Name == "" || ID(call.Name) != p.PlanID {
		return nil, false
	}
	call.Fill()
	p.Paused = view.State.Status == schema.StatusPaused
	t := show(&p, call)
	t.Version, t.Incarnation = view.State.Revision, view.State.Incarnation
	var at times
	if wire.DecodeLoose(p.Ext, &at) == nil { // a change of ext over NATS removes the times
		t.CreatedAt, t.UpdatedAt = at.CreatedAt, at.UpdatedAt
	}
	return t, true
}

// show makes a task of a plan and its call, whose defaults are filled in.
func show(p *schema.Plan, call *schema.HTTPCall) *Task {
	terms := p.Terms(nil, schema.Defaults{})
	t := &Task{
		ID: p.PlanID, Name: call.Name, Description: p.Description,
		CronExpr: sixFields(p.Cron), Timezone: p.Timezone,
		Exclude: p.Exclude, Only: p.Only, Excluded: string(p.Excluded),
		ExecType: call.ExecType, HTTPMethod: call.HTTPMethod, TargetURL: call.TargetURL,
		HeadersJSON: textOf(call.Headers), BodyTemplate: call.BodyTemplate,
		TimeoutSeconds: *call.TimeoutSeconds, SuccessStatus: call.SuccessStatus,
		RetryPolicyJSON: policyText(p.Retry),
		CallbackMethod:  call.CallbackMethod, CallbackTimeoutSec: *call.CallbackTimeoutSec,
		MaxConcurrency:    terms.MaxConcurrency,
		ConcurrencyPolicy: concurrencies.toREST(terms.Concurrency),
		OverlapAction:     overlaps.toREST(terms.Overlap),
		FailureAction:     failures.toREST(terms.Failure),
		CatchUpMode:       catchUps.toREST(terms.CatchUp),
		Status:            Enabled,
	}
	if t.Timezone == "" {
		t.Timezone = "UTC"
	}
	if p.Paused {
		t.Status = Disabled
	}
	return t
}

// policyText writes a retry policy in the seed's form; empty when there are no retries and
// no person is asked to act.
func policyText(r *schema.Retry) string {
	if r == nil || r.Strategy == schema.RetryNone && !r.NeedManual {
		return ""
	}
	v, err := wire.ValueOf(wire.JSON, r)
	if err != nil {
		return ""
	}
	return string(v.Raw())
}

// textOf writes headers in the seed's form, a map in JSON, sorted by name, with the masks
// of the scheduler, so that a secret is not repeated even to its sender.
func textOf(headers map[string]string) string {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		w.KeyText(name)
		w.Text(schema.ShownHeader(name, headers[name]))
	}
	w.EndMap()
	return string(w.Bytes())
}
