package front

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// get answers with one task, living or finished.
func (ts tasks) get(r *request) error {
	name, err := r.taskName()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) { return ts.find(ctx, name) })
}

// taskName reads a request that has no fields but the name of a task.
func (r *request) taskName() (schema.TaskName, error) {
	var q schema.TaskName
	if err := r.decode(&q); err != nil {
		return q, err
	}
	return q, task.CheckName(q)
}

// find looks a task up, living or finished.
func (ts tasks) find(ctx context.Context, name schema.TaskName) (schema.Task, error) {
	view, err := ts.view(ctx, name)
	switch {
	case err != nil:
		return schema.Task{}, err
	case view.Plan != nil:
		return ts.living(ctx, name, view.Plan)
	}
	last, err := ts.lastResult(ctx, name.Plan())
	if err != nil {
		return schema.Task{}, err
	}
	if last == nil {
		return schema.Task{}, noTask(name)
	}
	return ts.finished(ctx, last, view.Delivering)
}

// view asks the leader for the state of a task. The answer comes when all results decided
// before are stored, so that a task that is not alive any more is found in the kept results.
func (ts tasks) view(ctx context.Context, name schema.TaskName) (command.TaskView, error) {
	return ask[command.TaskView](ctx, ts.front, ts.front.partition(name.ID), command.GetTask{Name: name.Plan()})
}

func noTask(name schema.TaskName) error {
	return &schema.Error{
		Code: schema.CodeNotFound, Field: "id",
		Message: fmt.Sprintf("there is no task %s of type %q, and none is in history", name.ID, name.Type),
	}
}

// living shows a task that lives.
func (ts tasks) living(ctx context.Context, name schema.TaskName, v *command.PlanView) (schema.Task, error) {
	t := task.Living(v)
	err := ts.uncut(ctx, name, int64(v.Incarnation), v.Trace.LastError, &t.ErrorInfo)
	return t, err
}

// finished shows a task by its last result.
func (ts tasks) finished(ctx context.Context, last *keptResult, delivering bool) (schema.Task, error) {
	r := &last.result
	t := task.Finished(last.value, r, delivering)
	err := ts.uncut(ctx, schema.TaskName{Type: r.Station, ID: r.PlanID}, last.id.incarnation, r.LastError, &t.ErrorInfo)
	return t, err
}

// uncut replaces info with the whole error of the last failure of a task, as long as its
// result is kept, because its plan keeps only the beginning.
func (ts tasks) uncut(ctx context.Context, name schema.TaskName, incarnation int64, e *schema.LastError, info *string) error {
	if e == nil || !e.Cut {
		return nil
	}
	return ts.keptResults(ctx, name.Plan(), func(k *keptResult) {
		if shown := k.result.ErrorInfo(); k.id.incarnation == incarnation && strings.HasPrefix(shown, e.Info) {
			*info = shown
		}
	})
}

// A keptResult is a stored result of a task.
type keptResult struct {
	run
	result schema.Result
}

// readKept reads a result of a task; false for any other.
func readKept(stored broker.StoredResult) (*keptResult, bool) {
	v, ok := scanResult(stored)
	if !ok || !task.IsTask(v) {
		return nil, false
	}
	k := &keptResult{run: runOf(v)}
	return k, wire.DecodeLoose(v, &k.result) == nil
}

// lastResult returns the newest result of a task; nil when none is kept.
func (ts tasks) lastResult(ctx context.Context, name schema.PlanName) (*keptResult, error) {
	stored, err := ts.front.config.Store.Results().Last(ctx, name.Station, name.PlanID)
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
func (ts tasks) keptResults(ctx context.Context, name schema.PlanName, take func(*keptResult)) error {
	err := ts.front.config.Store.Results().Of(ctx, name.Station, name.PlanID, func(stored broker.StoredResult) error {
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
	return &schema.Error{Code: schema.CodeUnavailable, Message: "the results of the task cannot be read at the moment: " + err.Error()}
}
