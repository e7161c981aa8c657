package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// tasks are the verbs of tasks, which package task translates. The leader has the living
// tasks; the kept results have the finished ones.
type tasks struct{ front *Front }

// submit takes one task, or many.
func (ts tasks) submit(r *request) error {
	if !r.body.Field("tasks").IsZero() {
		return ts.submitMany(r)
	}
	s, err := task.ParseSubmit(r.body, ts.front.newID)
	if err != nil {
		return err
	}
	r.pass(0, command.GetStation{Station: s.Type}, func(answer any, err error) {
		station, _ := answer.(schema.Station)
		t, err := typeOf(s.Type, &station, err)
		if err != nil {
			r.fail(err)
			return
		}
		ts.submitOne(r, s, t)
	})
	return nil
}

func (ts tasks) submitOne(r *request, s *task.Submission, t *schema.TaskType) {
	d, err := s.Plan(t)
	if err != nil {
		r.fail(err)
		return
	}
	if repeats(d, r.body) {
		if err := r.async(func(ctx context.Context) (any, error) { return ts.submitOnce(ctx, r, d) }); err != nil {
			r.fail(err)
		}
		return
	}
	r.pass(ts.front.placeOf(d), command.CreatePlan{Definition: d, Trace: r.trace, Task: true}, func(answer any, err error) {
		created, _ := answer.(schema.Created)
		switch {
		case err != nil:
			r.fail(ofTaskPlan(d, r.body, err))
		case created.Created:
			r.answer(schema.TaskSubmitted{ID: d.Plan.PlanID, Type: d.Plan.Station, Status: schema.TaskNew})
		default:
			err := r.async(func(ctx context.Context) (any, error) { return ts.submittedBefore(ctx, d) })
			if err != nil {
				r.fail(err)
			}
		}
	})
}

// submittedBefore answers for a task that was there.
func (ts tasks) submittedBefore(ctx context.Context, d *schema.Definition) (schema.TaskSubmitted, error) {
	t, err := ts.find(ctx, schema.TaskName{Type: d.Plan.Station, ID: d.Plan.PlanID})
	return schema.TaskSubmitted{ID: d.Plan.PlanID, Type: d.Plan.Station, Status: t.Status}, err
}

// ofTaskPlan translates a leader's error about a plan into one about its task.
func ofTaskPlan(d *schema.Definition, asked wire.Value, err error) error {
	var e *schema.Error
	if !errors.As(err, &e) {
		return err
	}
	renamed := *e
	if renamed.Field == "plan_id" {
		renamed.Field = "id"
	}
	given := asked.Field("id")
	switch {
	case e.Code == schema.CodeAlreadyExists:
		renamed.Message = fmt.Sprintf("task %s of type %s exists; say on_conflict keep or update, or use another id", d.Plan.PlanID, d.Plan.Station)
	case e.Code == schema.CodeUnavailable && (given.IsZero() || given.Kind() == wire.KindNull):
		renamed.Message += "; the id that was made for this task is " + d.Plan.PlanID
	}
	return &renamed
}

// submitMany takes a batch. All that are right are asked for before the first answer is
// awaited, so that they share appends.
func (ts tasks) submitMany(r *request) error {
	var q schema.TaskBatch
	if err := r.decode(&q); err != nil {
		return err
	}
	if len(q.Tasks) > maxImport {
		return r.invalid("tasks", "tasks has %d items; at most %d are taken at a time", len(q.Tasks), maxImport)
	}
	if q.OnConflict != "" {
		if err := among(r, schema.Words("on_conflict"), "on_conflict", string(q.OnConflict)); err != nil {
			return err
		}
	}
	return r.async(func(ctx context.Context) (any, error) {
		known, err := ts.known(ctx, r, &q)
		if err != nil {
			return nil, err
		}
		types := map[string]knownType{}
		plans := make([]*schema.Definition, len(q.Tasks))
		outcomes, err := ts.front.askAll(ctx, len(q.Tasks), func(i int) (*creation, error) {
			d, err := ts.batched(ctx, r, q.Tasks[i], types)
			if err != nil {
				return nil, err
			}
			if d.Plan.OnConflict == "" {
				d.Plan.OnConflict = q.OnConflict
			}
			plans[i] = d
			if len(known) > 0 && known[ts.front.config.Space.Result(d.Plan.Station, d.Plan.PlanID)] != 0 && repeats(d, q.Tasks[i]) {
				if finished, err := ts.isFinished(ctx, d); err != nil || finished {
					return nil, cmp.Or(err, errFinished)
				}
			}
			return &creation{d, d.Value(), command.CreatePlan{Definition: d, Trace: r.trace, Task: true}}, nil
		})
		if err != nil {
			return nil, err
		}
		return ts.submitted(ctx, r, &q, plans, outcomes), nil
	})
}

// A knownType caches the type of one code for a batch, or the error of its lookup.
type knownType struct {
	*schema.TaskType
	err error
}

// batched makes the plan of one task of many, which is held to the limits of one.
func (ts tasks) batched(ctx context.Context, r *request, v wire.Value, types map[string]knownType) (*schema.Definition, error) {
	if _, err := wire.ScanAs(v.Encoding(), v.Raw(), ordinary); err != nil {
		return nil, schema.WireErrors(r.endpoint.invalid, err)
	}
	s, err := task.ParseSubmit(v, ts.front.newID)
	if err != nil {
		return nil, err
	}
	t, ok := types[s.Type]
	if !ok {
		t.TaskType, t.err = taskType(ctx, ts.front, s.Type)
		types[s.Type] = t
	}
	if t.err != nil {
		return nil, t.err
	}
	return s.Plan(t.TaskType)
}

// submitted answers for a batch, task by task.
func (ts tasks) submitted(ctx context.Context, r *request, q *schema.TaskBatch, plans []*schema.Definition, outcomes []outcome) *schema.TasksSubmitted {
	out := &schema.TasksSubmitted{Tasks: make([]schema.TaskSubmitted, len(outcomes))}
	size := 0
	for i, o := range outcomes {
		d := plans[i]
		switch {
		case o.err == nil && o.created:
			out.Tasks[i] = schema.TaskSubmitted{ID: d.Plan.PlanID, Type: d.Plan.Station, Status: schema.TaskNew}
			continue
		case o.err == nil, errors.Is(o.err, errFinished):
			out.Tasks[i], o.err = ts.submittedBefore(ctx, d)
		case d != nil:
			o.err = ofTaskPlan(d, q.Tasks[i], o.err)
		}
		if o.err != nil {
			out.Tasks[i] = schema.TaskSubmitted{Error: r.shortError(o.err, &size)}
		}
	}
	return out
}
