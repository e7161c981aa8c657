package cronjob

import (
	"context"
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Standing is the state of a task beside its definition.
type Standing struct {
	Status  schema.Status `json:"status"`            // that of its plan
	NextDue time.Time     `json:"next_due,omitzero"` // zero: none is to come
	// LastRun is the newest run that has ended; nil: none is kept, or it is unknown. The package
	// leaves it to its user, who reads results.
	LastRun *Run `json:"last_run,omitempty"`
}

// Shown selects the parts of a task beside its definition that a request wants.
type Shown struct {
	Words schema.Lang // the language of [Task.Words]; empty: without them
	State bool        // with [Task.State]
}

// apply adds the parts of its plan that are wanted to a task.
func (s Shown) apply(t *Task, view *schema.PlanView) {
	t.Words = view.Words
	if !s.State {
		return
	}
	t.State = &Standing{Status: view.State.Status}
	if view.State.Status != schema.StatusPaused {
		t.State.NextDue = view.State.PlanTime
	}
}

// Show returns a task as [Jobs.Get] does, with the parts that are wanted beside it.
func (j *Jobs) Show(ctx context.Context, id string, s Shown) (*Task, error) {
	t, view, err := j.get(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.Words != "" {
		next, err := j.client.PlanNamed(name(t.ID)).Upcoming(ctx, schema.Upcoming{Count: 1, Shown: schema.Shown{Lang: s.Words}})
		if errors.Is(err, client.ErrNotFound) {
			return nil, noTask(id)
		}
		if err != nil {
			return nil, err
		}
		view.Words = next.Words
	}
	s.apply(t, view)
	return t, nil
}
