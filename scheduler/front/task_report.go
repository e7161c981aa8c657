package front

import (
	"context"
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
)

// report passes an agent's report on, and answers with its effect.
func (ts tasks) report(r *request) error {
	var q schema.TaskReport
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := task.Report(&q, r.enc)
	if err != nil {
		return err
	}
	r.pass(ts.front.partition(q.ID), c, func(answer any, err error) {
		word, ok := answer.(command.TaskReported)
		switch {
		case err != nil:
			r.fail(err)
			return
		case !ok:
			r.fail(fmt.Errorf("the leader answered a report with %T", answer))
			return
		}
		out := schema.TaskReported{
			ID: q.ID, Accepted: word.Ack.Accepted, Cancel: word.Ack.Cancel, PingIntervalMS: word.Ack.PingIntervalMS,
		}
		switch view := word.Task; {
		case view.Plan != nil:
			out.Status = task.Status(view.Plan)
		case out.Accepted:
			out.Status = task.Settled(c.Reply.State, view.Delivering)
		default:
			if err := r.async(func(ctx context.Context) (any, error) { return ts.reportedLate(ctx, &q, out) }); err != nil {
				r.fail(err)
			}
			return
		}
		r.answer(out)
	})
	return nil
}

// reportedLate answers for a task that is finished.
func (ts tasks) reportedLate(ctx context.Context, q *schema.TaskReport, out schema.TaskReported) (any, error) {
	t, err := ts.find(ctx, schema.TaskName{Type: q.Type, ID: q.ID})
	out.Status = t.Status
	return out, err
}

func (ts tasks) cancel(r *request) error { return ts.end(r, false) }

func (ts tasks) process(r *request) error { return ts.end(r, true) }

// end ends a task by an operator's decision.
func (ts tasks) end(r *request, processed bool) error {
	var q schema.TaskEnd
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := task.End(&q, processed)
	if err != nil {
		return err
	}
	out := schema.TaskStanding{ID: q.ID, Status: schema.TaskCancelled}
	if processed {
		out.Status = schema.TaskManuallyProcessed
	}
	return r.async(func(ctx context.Context) (any, error) {
		_, err := ask[schema.Standing](ctx, ts.front, ts.front.partition(q.ID), c)
		name := schema.TaskName{Type: q.Type, ID: q.ID}
		switch {
		case errors.Is(err, schema.CodeNotFound):
			return nil, ts.whyNot(ctx, name)
		case errors.Is(err, schema.CodeConflict): // its plan is not pending
			err = ts.whyNot(ctx, name)
			if e := (*schema.Error)(nil); errors.As(err, &e) && e.Code == schema.CodeConflict {
				e.Message += ", and only one that is Pending is processed by a person"
			}
		}
		return out, err
	})
}

// whyNot explains why a request cannot be carried out on a task, in the terms of tasks.
func (ts tasks) whyNot(ctx context.Context, name schema.TaskName) error {
	t, err := ts.find(ctx, name)
	if err != nil {
		return err
	}
	return stands(name, t.Status)
}

func stands(name schema.TaskName, s schema.TaskStatus) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "id", Message: fmt.Sprintf("task %s of type %s is %s", name.ID, name.Type, s),
	}
}

// retry has a task executed again. A pending one is executed at once, with its errors reset; one
// that failed for good is submitted again from its result in history.
func (ts tasks) retry(r *request) error {
	name, err := r.taskName()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		view, err := ts.view(ctx, name)
		if err != nil {
			return nil, err
		}
		if view.Plan == nil {
			err = ts.submitAgain(ctx, r, name)
		} else if status := task.Status(view.Plan); status == schema.TaskPending {
			_, err = ask[schema.Standing](ctx, ts.front, ts.front.partition(name.ID), command.ResetPlan{Name: name.Plan()})
		} else {
			err = stands(name, status)
		}
		return schema.TaskStanding{ID: name.ID, Status: schema.TaskNew}, err
	})
}

// submitAgain submits a finished task anew.
func (ts tasks) submitAgain(ctx context.Context, r *request, name schema.TaskName) error {
	last, err := ts.lastResult(ctx, name.Plan())
	switch {
	case err != nil:
		return err
	case last == nil:
		return noTask(name)
	}
	if status := task.StatusOf(&last.result, false); status != schema.TaskFailure {
		return ts.whyNot(ctx, name)
	}
	s, ok := task.Again(last.value)
	if !ok {
		return &schema.Error{
			Code: schema.CodeConflict, Field: "id",
			Message: fmt.Sprintf("history does not have task %s of type %s whole; submit it again", name.ID, name.Type),
		}
	}
	t, err := taskType(ctx, ts.front, name.Type)
	if err != nil {
		return err
	}
	d, err := s.Plan(t)
	if err != nil {
		return err
	}
	_, err = ask[schema.Created](ctx, ts.front, ts.front.placeOf(d), command.CreatePlan{Definition: d, Trace: r.trace, Task: true})
	if errors.Is(err, schema.CodeAlreadyExists) {
		return stands(name, schema.TaskNew) // another request was first
	}
	return err
}
