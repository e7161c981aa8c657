package front

import (
	"context"
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Other plans at the station of a task type forbid to create it, because it would take them
// over, and to delete it, because it would leave them behind.

// unclaimed refuses to create a type at a station that has other plans. The type would replace
// its record and, because agents of most types fetch, take the executions of its plans from
// their workers, without a way back. An existing type may be replaced even if other plans are
// there: its record is returned, nil where there is none.
func (tts taskTypes) unclaimed(ctx context.Context, code string) (*schema.Station, error) {
	s, err := ask[schema.Station](ctx, tts.front, 0, command.GetStation{Station: code})
	plain := err == nil
	if _, is := task.TypeOf(&s); is {
		return &s, nil
	}
	if err != nil && !errors.Is(err, schema.CodeNotFound) {
		return nil, err
	}
	// The error names the plans first, because deleting the record of their station would
	// change how they run.
	other, err := tts.beside(ctx, code)
	switch {
	case err != nil:
		return nil, err
	case other != nil && other.periodic == "":
		return nil, codeConflict("station %s has plans that are no tasks, such as %s, and a task type would take their workers away: choose another code, or remove the plans (plans.list of station %[1]s shows them, and plans.remove ends one)", code, other.name)
	case plain:
		return nil, codeConflict("station %s has a record of kind %s, and a task type would take its place: choose another code, or delete the record with stations.delete", code, s.Kind)
	}
	return nil, nil
}

// unused refuses to delete a type that has unfinished tasks, undelivered callbacks, or other
// plans. The tasks are looked for first, because the last callback is there as soon as its
// task is not.
func (tts taskTypes) unused(ctx context.Context, code string) error {
	calls := schema.CallbackPlanOf(schema.PlanName{Station: code}).Station
	for _, in := range []struct {
		query   command.ListPlans
		message string
	}{
		{
			command.ListPlans{Filter: schema.ListPlans{Station: code}, Tasks: true},
			fmt.Sprintf("task type %s has tasks that are not finished; tasks.list shows them, and tasks.cancel ends one", code),
		},
		{
			command.ListPlans{Filter: schema.ListPlans{Station: calls}},
			fmt.Sprintf("task type %s has callbacks that are not delivered; plans.list of station %s shows them, and plans.remove gives one up", code, calls),
		},
	} {
		switch left, err := tts.front.finds(ctx, in.query); {
		case err != nil:
			return err
		case left:
			return codeConflict("%s", in.message)
		}
	}
	switch other, err := tts.beside(ctx, code); {
	case err != nil || other == nil:
		return err
	case other.periodic != "":
		return codeConflict("periodic task %s triggers task type %s; periodic_tasks.delete deletes it, and periodic_tasks.list shows whether there are more", other.periodic, code)
	default:
		return codeConflict("task type %s has plans that are no tasks, such as %s; plans.list of station %[1]s shows them, and plans.remove ends one", code, other.name)
	}
}

func codeConflict(format string, args ...any) error {
	return &schema.Error{Code: schema.CodeConflict, Field: "code", Message: fmt.Sprintf(format, args...)}
}

// A nonTask is a plan that is no task.
type nonTask struct {
	name     schema.PlanName
	periodic string // the id of the periodic task that it triggers; empty: of none
}

// beside returns a plan of a station that is no task: the trigger of a periodic one only
// where there is no other; nil: all are tasks.
func (tts taskTypes) beside(ctx context.Context, station string) (found *nonTask, err error) {
	query := command.ListPlans{Filter: schema.ListPlans{Station: station}, Limit: maxLimit}
	for after := new(schema.PlanName); after != nil; {
		m := tts.front.mergePlans(ctx, query, *after)
		for {
			v, more, err := m.next()
			if err != nil {
				return nil, err
			}
			if !more {
				break
			}
			if task.IsTask(v.Plan) {
				continue
			}
			t, periodic := task.PeriodicOf(v.PlanView)
			if !periodic {
				return &nonTask{name: v.name}, nil
			}
			found = &nonTask{v.name, t.ID}
		}
		after = m.endName()
	}
	return found, nil
}
