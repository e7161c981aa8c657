package front

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A task that is submitted again under on_conflict keep is not carried out again, as long
// as history has it. A leader remembers what has closed for a short while only; until then
// at the latest the result of its end is kept.

// errFinished stands for a task of many that was found in history.
var errFinished = errors.New("the task is finished")

// repeats reports that a task, which was asked for so, may be one that is finished: who
// lets its id be made cannot mean another.
func repeats(d *schema.Definition, asked wire.Value) bool {
	id := asked.Field("id")
	return d.Plan.OnConflict == schema.ConflictKeep && !id.IsZero() && id.Kind() != wire.KindNull
}

// known finds out of which tasks of a batch that repeat others there is any result, by its
// subject: one question for all of them, since most are new.
func (f *Front) known(ctx context.Context, r *request, q *schema.TaskBatch) (map[string]uint64, error) {
	if q.OnConflict != schema.ConflictKeep && !maySay(r.body.Raw(), string(schema.ConflictKeep)) {
		return nil, nil // the usual batch, which is not walked for this
	}
	var subjects []string
	for _, v := range q.Tasks {
		own, _ := v.Field("on_conflict").Text()
		if cmp.Or(schema.OnConflict(own), q.OnConflict) != schema.ConflictKeep {
			continue
		}
		var name schema.TaskName
		if wire.DecodeLoose(v, &name) == nil && name.Plan().Check() == nil {
			subjects = append(subjects, f.config.Space.Result(name.Type, name.ID))
		}
	}
	found, err := f.config.Store.Results().Newest(ctx, subjects)
	if err != nil {
		return nil, unreadable(err)
	}
	return found, nil
}

// maySay reports that a word may stand in a body: as it is, or written with JSON's escapes.
func maySay(body []byte, word string) bool {
	return bytes.Contains(body, []byte(word)) || bytes.IndexByte(body, '\\') >= 0
}

// isFinished reports that history has the end of a task.
func (f *Front) isFinished(ctx context.Context, d *schema.Definition) (bool, error) {
	last, err := f.lastResult(ctx, schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID})
	return last != nil && last.result.Final, err
}

// submitOnce submits a task unless history has it.
func (f *Front) submitOnce(ctx context.Context, r *request, d *schema.Definition) (any, error) {
	finished, err := f.isFinished(ctx, d)
	switch {
	case err != nil:
		return nil, err
	case finished:
		return f.submittedBefore(ctx, d)
	}
	created, err := ask[schema.Created](ctx, f, f.placeOf(d), schema.CreatePlan{Definition: d, Trace: r.trace, Task: true})
	switch {
	case err != nil:
		return nil, f.ofTaskPlan(d, r.body, err)
	case created.Created:
		return schema.TaskSubmitted{ID: d.Plan.PlanID, Type: d.Plan.Station, Status: schema.TaskNew}, nil
	default:
		return f.submittedBefore(ctx, d)
	}
}
