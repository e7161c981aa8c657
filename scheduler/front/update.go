package front

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// maxMerges bounds how often one update is merged anew, because as many others as run at a
// time on this node may come first.
const maxMerges = maxRunning

// changes are the fields that plans.update takes, and the state that they are meant for.
// The body shows which of them were given, because a null counts.
type changes struct {
	schema.Plan
	precondition
}

// A precondition is the state of a plan that a change is meant for. 0 is of no plan.
type precondition struct {
	Revision    *uint64 `json:"revision,omitempty"`    // nil: any
	Incarnation *uint64 `json:"incarnation,omitempty"` // nil: any
}

// check returns a conflict when the plan is not of that state.
func (p precondition) check(name schema.PlanName, present *command.PlanView) error {
	switch {
	case p.Incarnation != nil && *p.Incarnation != present.Incarnation:
		return &schema.Error{
			Code: schema.CodeConflict, Field: "revision",
			Message: fmt.Sprintf("%s is another plan of that name by now; get it again and see whether your change still fits", name),
		}
	case p.Revision != nil && *p.Revision != present.State.Revision:
		return notRevision(name, *p.Revision, present.State.Revision)
	}
	return nil
}

// update replaces fields of a plan. They are merged here into the stored definition, and the
// whole is checked as a new plan is; the leader accepts it only in place of the revision that
// was merged. Of two concurrent updates the later one then conflicts, and is merged again
// into the result of the first, unless its client named a revision.
func (ps plans) update(r *request) error {
	var c changes
	if err := r.decode(&c); err != nil {
		return err
	}
	if err := schema.RefuseEmptyChange(schema.CodeInvalidPlan, r.body, "plan_id", "plan_type", "timezone"); err != nil {
		return err
	}
	name := schema.PlanName{Station: c.Station, PlanID: c.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	switch {
	case !r.body.Field("paused").IsZero():
		return r.invalid("paused", "paused is no field to update; plans.pause and plans.resume change it")
	case !r.body.Field("on_conflict").IsZero():
		return r.invalid("on_conflict", "on_conflict belongs to create; with revision, an update of another revision is a conflict")
	}
	return r.async(func(ctx context.Context) (any, error) {
		return ps.updatePlan(ctx, r, name, &c)
	})
}

func (ps plans) updatePlan(ctx context.Context, r *request, name schema.PlanName, c *changes) (answer any, err error) {
	partition := ps.front.partition(name.PlanID)
	var merged command.PlanView // the definition that the previous try was merged into
	for range maxMerges {
		view, askErr := ask[command.PlanView](ctx, ps.front, partition, command.GetPlan{Name: name})
		switch {
		case askErr != nil:
			return answer, askErr
		case c.check(name, &view) != nil:
			return answer, c.check(name, &view)
		case err != nil && view.Incarnation == merged.Incarnation && view.State.Revision == merged.State.Revision:
			return answer, err // the conflict has another reason, because no other update came first
		}
		d, mergeErr := ps.mergeUpdate(ctx, r, name, view.Plan)
		if mergeErr != nil {
			return answer, mergeErr
		}
		if !r.body.Field("messages").IsZero() || !r.body.Field("tenant_id").IsZero() {
			if err := ps.admitCall(ctx, d); err != nil {
				return answer, err
			}
		}
		merged = view
		answer, err = ask[any](ctx, ps.front, partition, command.UpdatePlan{
			Definition: d, Incarnation: view.Incarnation, Revision: view.State.Revision,
		})
		if !errors.Is(err, schema.CodeConflict) {
			return withIdle(withDropped(wouldBe(answer, d, &view), d, &view, r.body), d), err
		}
	}
	return answer, err
}

// wouldBe returns an answer; that of a dry run has the present revision where the update would
// change nothing but the order of members. A user who is shown no secret headers learns so whether
// those of a file are the stored ones.
func wouldBe(answer any, d *schema.Definition, present *command.PlanView) any {
	dry, is := answer.(schema.DryRun)
	if !is || !bytes.Equal(d.Value().Canonical(), present.Plan.Canonical()) {
		return answer
	}
	dry.Revision = present.State.Revision
	return dry
}

// withDropped returns the answer to an update with the fields that the plan before had and lost,
// because a map, as of labels, is replaced whole; without those that the update has taken away by
// name.
func withDropped(answer any, d *schema.Definition, before *command.PlanView, update wire.Value) any {
	created, is := answer.(schema.Created)
	if !is {
		return answer
	}
	created.Dropped = slices.DeleteFunc(command.DroppedOfPlan(before.Plan, d.Value()), func(field string) bool {
		given := update.Field(field)
		return !given.IsZero() && given.Kind() == wire.KindNull
	})
	return created
}

func notRevision(name schema.PlanName, wanted, present uint64) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "revision",
		Message: fmt.Sprintf("%s is of revision %d, not %d; get it again and see whether your change still fits", name, present, wanted),
	}
}

// mergeUpdate makes and checks the definition that an update asks for. The id is left to the
// check, which puts it in, so that it does not count against the size of a definition at the
// limit.
func (ps plans) mergeUpdate(ctx context.Context, r *request, name schema.PlanName, plan wire.Value) (*schema.Definition, error) {
	merged, err := schema.KeepHidden(mergeFields(plan, r.body), plan)
	if err == nil {
		merged, err = task.KeepLabels(schema.KeepSet(merged, plan), plan)
	}
	if err != nil {
		return nil, err
	}
	return ps.checked(ctx, r, merged, schema.ParseOptions{Stored: true, NewID: func() string { return name.PlanID }})
}

// mergeFields returns plan, in its encoding and member order, with its fields replaced by
// those of an update; null removes a field.
func mergeFields(plan, update wire.Value) wire.Value {
	enc := plan.Encoding()
	given := map[string]wire.Value{}
	for name, v := range update.Map() {
		given[name] = v
	}
	w := wire.NewWriter(enc, make([]byte, 0, len(plan.Raw())+len(update.Raw())))
	write := func(name string, v wire.Value) {
		if v.Kind() != wire.KindNull {
			w.KeyText(name)
			w.Value(v)
		}
	}
	w.BeginMap()
	for name, v := range plan.Map() {
		change, changed := given[name]
		switch {
		case name == "plan_id":
		case name == "station" || !changed:
			write(name, v)
		default:
			write(name, change)
		}
		delete(given, name)
	}
	for name, v := range update.Map() {
		if _, isNew := given[name]; isNew && !slices.Contains([]string{"plan_id", "revision", "incarnation"}, name) {
			write(name, v)
		}
	}
	w.EndMap()
	return w.Whole()
}
