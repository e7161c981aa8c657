package front

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A task that is submitted again under on_conflict keep is not carried out again, as long as
// history has it. A leader remembers closed plans for a short while only; the result of the
// task's end is stored by then.

// errFinished marks a task of a batch that was found in history.
var errFinished = errors.New("the task is finished")

// repeats reports that a task may be a finished one, because the request names its id; a
// generated id is always new.
func repeats(d *schema.Definition, asked wire.Value) bool {
	id := asked.Field("id")
	return d.Plan.OnConflict == schema.ConflictKeep && !id.IsZero() && id.Kind() != wire.KindNull
}

// known finds the tasks of a batch that repeat others and have any result.
func (ts tasks) known(ctx context.Context, r *request, q *schema.TaskBatch) (map[string]uint64, error) {
	found, err := ts.front.resultsOf(ctx, r, q.Tasks, q.OnConflict, []schema.OnConflict{schema.ConflictKeep}, func(v wire.Value) (schema.PlanName, bool) {
		var name schema.TaskName
		err := wire.DecodeLoose(v, &name)
		return name.Plan(), err == nil
	})
	if err != nil {
		return nil, unreadable(err)
	}
	return found, nil
}

// resultsOf finds those of many, asked for under one of the policies, that have any result, by
// subject, with one query for all of them, because most are new; all is the policy of those
// without their own. nameOf names one; false: it cannot have a result that counts.
func (f *Front) resultsOf(ctx context.Context, r *request, many []wire.Value, all schema.OnConflict, policies []schema.OnConflict, nameOf func(wire.Value) (schema.PlanName, bool)) (map[string]uint64, error) {
	named := func(policy schema.OnConflict) bool { return all == policy || mayContain(r.body.Raw(), string(policy)) }
	if !slices.ContainsFunc(policies, named) {
		return nil, nil // the usual request, which is not walked for this
	}
	var subjects []string
	for _, v := range many {
		own, _ := v.Field("on_conflict").Text()
		if !slices.Contains(policies, cmp.Or(schema.OnConflict(own), all)) {
			continue
		}
		if name, ok := nameOf(v); ok && name.Check() == nil {
			subjects = append(subjects, f.config.Space.Result(name.Station, name.PlanID))
		}
	}
	if len(subjects) == 0 {
		return nil, nil
	}
	return f.config.Store.Results().Newest(ctx, subjects)
}

// mayContain reports that body may have the word in it, as it is or with JSON's escapes.
func mayContain(body []byte, word string) bool {
	return bytes.Contains(body, []byte(word)) || bytes.IndexByte(body, '\\') >= 0
}

// isFinished reports that history has the end of a task.
func (ts tasks) isFinished(ctx context.Context, d *schema.Definition) (bool, error) {
	last, err := ts.lastResult(ctx, schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID})
	return last != nil && last.result.Final, err
}

// submitOnce submits a task unless history has it.
func (ts tasks) submitOnce(ctx context.Context, r *request, d *schema.Definition) (any, error) {
	finished, err := ts.isFinished(ctx, d)
	switch {
	case err != nil:
		return nil, err
	case finished:
		return ts.submittedBefore(ctx, d)
	}
	created, err := ask[schema.Created](ctx, ts.front, ts.front.placeOf(d), command.CreatePlan{Definition: d, Trace: r.trace, Task: true})
	switch {
	case err != nil:
		return nil, ofTaskPlan(d, r.body, err)
	case created.Created:
		return schema.TaskSubmitted{ID: d.Plan.PlanID, Type: d.Plan.Station, Status: schema.TaskNew}, nil
	default:
		return ts.submittedBefore(ctx, d)
	}
}
