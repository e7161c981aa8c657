package front

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/task"
)

// getTask answers with one task, living or finished.
func (f *Front) getTask(r *request) error {
	name, err := r.taskName()
	if err != nil {
		return err
	}
	return r.talk(func(ctx context.Context) (any, error) { return f.task(ctx, name) })
}

// taskName reads a request that names a task and says no more.
func (r *request) taskName() (schema.TaskName, error) {
	var q schema.TaskName
	if err := r.decode(&q); err != nil {
		return q, err
	}
	return q, task.CheckName(q)
}

// task looks a task up, living or finished.
func (f *Front) task(ctx context.Context, name schema.TaskName) (schema.Task, error) {
	look, err := f.lookTask(ctx, name)
	switch {
	case err != nil:
		return schema.Task{}, err
	case look.Plan != nil:
		return f.livingTask(ctx, name, look.Plan)
	}
	last, err := f.lastResult(ctx, name.Plan())
	if err != nil {
		return schema.Task{}, err
	}
	if last == nil {
		return schema.Task{}, noTask(name)
	}
	return f.finishedTask(ctx, last, look.Delivering)
}

// lookTask asks the leader how a task stands. What was decided before is stored then, so
// a task that is not alive any more is found in the kept results.
func (f *Front) lookTask(ctx context.Context, name schema.TaskName) (schema.TaskLook, error) {
	return ask[schema.TaskLook](ctx, f, f.config.Space.Partition(name.ID), schema.LookTask{Name: name.Plan()})
}

func noTask(name schema.TaskName) error {
	return &schema.Error{
		Code: schema.CodeNotFound, Field: "id",
		Message: fmt.Sprintf("there is no task %s of type %q, and none is in history", name.ID, name.Type),
	}
}

// livingTask shows a task that lives, with what its last failure said.
func (f *Front) livingTask(ctx context.Context, name schema.TaskName, v *schema.PlanView) (schema.Task, error) {
	if !task.Failed(&schema.Result{State: v.State.LastState}) {
		return task.Living(v, nil), nil
	}
	last, err := f.lastResult(ctx, name.Plan())
	if err != nil {
		return schema.Task{}, err
	}
	if last == nil || last.id.incarnation != int64(v.Incarnation) || !task.Failed(&last.result) {
		return task.Living(v, nil), nil // it is kept no longer
	}
	return task.Living(v, &last.result), nil
}

// finishedTask shows a task by its last result, and what its last failure said.
func (f *Front) finishedTask(ctx context.Context, last *keptResult, delivering bool) (schema.Task, error) {
	r := &last.result
	var failed *schema.Result
	if r.N > 1 && !task.Failed(r) {
		err := f.keptResults(ctx, schema.PlanName{Station: r.Station, PlanID: r.PlanID}, func(k *keptResult) {
			if k.id.incarnation == last.id.incarnation && task.Failed(&k.result) {
				failed = &k.result
			}
		})
		if err != nil {
			return schema.Task{}, err
		}
	}
	return task.Finished(last.value, r, failed, delivering), nil
}

// A keptResult is a task's result as it was kept.
type keptResult struct {
	run
	result schema.Result
}

// readKept reads a result of a task; false for any other.
func readKept(stored broker.StoredResult) (*keptResult, bool) {
	v, err := wire.Scan(stored.Body, wire.Limits{Items: len(stored.Body), Depth: 2 * maxDepth})
	if err != nil || !task.IsTask(v) {
		return nil, false
	}
	k := &keptResult{run: runOf(v)}
	return k, wire.DecodeLoose(v, &k.result) == nil
}

// lastResult returns the newest result of a task; nil when none is kept.
func (f *Front) lastResult(ctx context.Context, name schema.PlanName) (*keptResult, error) {
	stored, err := f.config.Store.Results().Last(ctx, name.Station, name.PlanID)
	switch {
	case errors.Is(err, broker.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	}
	k, ok := readKept(stored)
	if !ok {
		return nil, nil
	}
	return k, nil
}

// keptResults calls take with the results of a task, the oldest first.
func (f *Front) keptResults(ctx context.Context, name schema.PlanName, take func(*keptResult)) error {
	err := f.config.Store.Results().Of(ctx, name.Station, name.PlanID, func(stored broker.StoredResult) error {
		if k, ok := readKept(stored); ok {
			take(k)
		}
		return nil
	})
	if err != nil {
		return unreadable(err)
	}
	return nil
}

func unreadable(err error) error {
	return &schema.Error{Code: schema.CodeUnavailable, Message: "what was kept of the task cannot be read at the moment: " + err.Error()}
}

// listTasks answers with the tasks that live, by type, then id, or with those that are
// finished.
func (f *Front) listTasks(r *request) error {
	var q schema.ListTasks
	if err := r.decode(&q); err != nil {
		return err
	}
	limit, err := r.checkTaskList(&q)
	if err != nil {
		return err
	}
	if q.History {
		return f.listHistory(r, &q, limit)
	}
	after, ok := parsePlanCursor(q.Cursor)
	if !ok {
		return r.badCursor()
	}
	look := schema.LookPlans{
		Tasks: true,
		Filter: schema.ListPlans{
			Station: q.Type, TenantID: q.TenantID, Category: q.Category, Creator: q.Creator,
			Status: task.PlanStatuses(q.Status),
		},
	}
	return r.talk(func(ctx context.Context) (any, error) {
		if len(q.Status) > 0 && len(look.Filter.Status) == 0 {
			return newPage(r.enc, "tasks", limit).end(""), nil // none that lives is such
		}
		return f.planPage(ctx, newPage(r.enc, "tasks", limit), look, after, func(enc wire.Encoding, v schema.PlanView) (wire.Value, error) {
			if len(q.Status) > 0 && !slices.Contains(q.Status, string(task.Status(&v))) {
				return wire.Value{}, nil
			}
			return f.taskEntry(ctx, enc, &v)
		})
	})
}

// checkTaskList checks the filters of tasks.list.
func (r *request) checkTaskList(q *schema.ListTasks) (limit int, err error) {
	if q.Type != "" {
		if err := schema.CheckStation(q.Type); err != nil {
			return 0, r.invalid("type", "type %v", err)
		}
	}
	for _, s := range q.Status {
		if !slices.Contains(task.Statuses, schema.TaskStatus(s)) {
			return 0, r.invalid("status", "status %q is none of %v", clip(s, maxField), task.Statuses)
		}
	}
	if !q.History && (!q.From.IsZero() || !q.To.IsZero()) {
		return 0, r.invalid("history", "history is not set; from and to are about when tasks ended")
	}
	if !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) {
		return 0, r.invalid("to", "to is not after from; no task ended in between")
	}
	return r.limit(q.Limit)
}

// taskEntry encodes a task as an entry of a page.
func (f *Front) taskEntry(ctx context.Context, enc wire.Encoding, v *schema.PlanView) (wire.Value, error) {
	var name schema.TaskName
	name.Type, _ = v.Plan.Field("station").Text()
	name.ID, _ = v.Plan.Field("plan_id").Text()
	t, err := f.livingTask(ctx, name, v)
	if err != nil {
		return wire.Value{}, err
	}
	entry, err := wire.ValueOf(enc, t)
	if err != nil {
		return wire.Value{}, err
	}
	return shorten(entry, f.mostEntry()), nil
}
