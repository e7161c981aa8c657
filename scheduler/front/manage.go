package front

import (
	"context"
	"fmt"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Each of these verbs is one command to one plan. The leader decides its effect.

func (ps plans) close(r *request) error {
	return ps.send(r, func(n schema.PlanName) command.Command { return command.ClosePlan{Name: n} })
}

func (ps plans) remove(r *request) error {
	var q struct {
		schema.PlanName
		precondition
	}
	if err := r.decode(&q); err != nil {
		return err
	}
	name := q.PlanName
	if err := name.Check(); err != nil {
		return err
	}
	c := command.RemovePlan{Name: name}
	for _, one := range []struct {
		meant *uint64
		to    *uint64
	}{{q.Revision, &c.Revision}, {q.Incarnation, &c.Incarnation}} {
		switch {
		case one.meant == nil:
		case *one.meant == 0:
			return &schema.Error{Code: schema.CodeConflict, Field: "revision", Message: "no plan has revision or incarnation 0; plans.get shows those of " + name.String()}
		default:
			*one.to = *one.meant
		}
	}
	r.ask(ps.front.partition(name.PlanID), c)
	return nil
}

func (ps plans) pause(r *request) error {
	return ps.send(r, func(n schema.PlanName) command.Command { return command.PausePlan{Name: n} })
}

// resume ends a pause, and puts no periodic task on line that is new or offline, because its own
// verb does. No other plan has such an id, unless a user has chosen it.
func (ps plans) resume(r *request) error {
	name, err := r.planName()
	if err != nil {
		return err
	}
	place, resume := ps.front.partition(name.PlanID), command.ResumePlan{Name: name}
	if !strings.HasPrefix(name.PlanID, command.PeriodicPrefix) {
		r.ask(place, resume)
		return nil
	}
	return r.async(func(ctx context.Context) (any, error) {
		view, err := ask[command.PlanView](ctx, ps.front, place, command.GetPlan{Name: name})
		if err != nil {
			return nil, err
		}
		if t, is := task.PeriodicOf(view); is && t.Status != schema.PeriodicOnline && task.Marked(view.Plan) {
			return nil, &schema.Error{
				Code: schema.CodeConflict, Field: "plan_id",
				Message: fmt.Sprintf("%s is the plan of periodic task %s, which is %s: periodic_tasks.online puts it on line", name, t.ID, t.Status),
			}
		}
		return ask[any](ctx, ps.front, place, resume)
	})
}

func (ps plans) trigger(r *request) error {
	return ps.send(r, func(n schema.PlanName) command.Command { return command.TriggerPlan{Name: n} })
}

func (ps plans) reset(r *request) error {
	return ps.send(r, func(n schema.PlanName) command.Command { return command.ResetPlan{Name: n} })
}

// send sends the command to the leader of the plan that the request names.
func (ps plans) send(r *request, commandOf func(schema.PlanName) command.Command) error {
	name, err := r.planName()
	if err != nil {
		return err
	}
	r.ask(ps.front.partition(name.PlanID), commandOf(name))
	return nil
}

// skipAll is the count that skips all occurrences until it is changed.
const skipAll = -1

func (ps plans) skip(r *request) error {
	var q schema.Skip
	if err := r.decode(&q); err != nil {
		return err
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	count := int64(1)
	if q.Count != nil {
		count = *q.Count
	}
	if count < skipAll {
		return r.invalid("count", "count is %d; it is how many occurrences to skip, %d for all until it is changed, 0 for none any more", count, skipAll)
	}
	r.ask(ps.front.partition(name.PlanID), command.SkipPlan{Name: name, Count: count})
	return nil
}

func (ps plans) cancel(r *request) error {
	name, n, err := r.runName()
	if err != nil {
		return err
	}
	r.ask(ps.front.partition(name.PlanID), command.CancelRun{Name: name, N: n})
	return nil
}

// planName reads a request that has no fields but the name of a plan.
func (r *request) planName() (schema.PlanName, error) {
	var name schema.PlanName
	if err := r.decode(&name); err != nil {
		return name, err
	}
	return name, name.Check()
}

// runName reads a request that has no fields but the name of a run.
func (r *request) runName() (schema.PlanName, int64, error) {
	var q schema.RunName
	if err := r.decode(&q); err != nil {
		return schema.PlanName{}, 0, err
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return name, 0, err
	}
	switch {
	case r.body.Field("n").IsZero():
		return name, 0, r.invalid("n", "n is missing; it is the number of the run, as plans.runs shows it")
	case q.N < 1:
		return name, 0, r.invalid("n", "n is %d; runs are counted from 1, as plans.runs shows them", q.N)
	}
	return name, q.N, nil
}
