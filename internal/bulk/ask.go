package bulk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Of a request that nobody answered, or that came too soon for its tenant.
const (
	mostTries  = 5
	firstPause = 250 * time.Millisecond
	longest    = 10 * time.Second
)

// attempt asks for the verb, again where that does no harm, such as while another node takes
// over.
func (j *Job) attempt(ctx context.Context, name schema.PlanName) error {
	for try := 0; ; try++ {
		err := j.ask(ctx, name)
		if try > 0 && errors.Is(err, client.ErrNotFound) && slices.Contains([]string{"close", "remove"}, j.order.Verb) {
			return nil // the try before did it
		}
		wait := j.again(err, try)
		if wait == 0 || !pause(ctx, wait) {
			return err
		}
	}
}

// again is the delay before a request is repeated; 0: it is not.
func (j *Job) again(err error, try int) time.Duration {
	refused, is := errors.AsType[*schema.Error](err)
	switch {
	case !is || try+1 >= mostTries:
		return 0
	case refused.Code == schema.CodeQuotaExceeded && refused.RetryAfterMS > 0: // it was not carried out
		return min(time.Duration(refused.RetryAfterMS)*time.Millisecond, longest)
	case refused.Code == schema.CodeUnavailable && slices.Contains([]string{"pause", "resume", "skip", "close", "remove"}, j.order.Verb):
		return firstPause << try
	default:
		return 0
	}
}

// ask makes the request about one name. The end of the context does not end it.
func (j *Job) ask(ctx context.Context, name schema.PlanName) error {
	asking, plan := context.WithoutCancel(ctx), j.client.PlanNamed(name)
	var err error
	var now *schema.Standing // after a verb that may take the last occurrence
	switch j.order.Verb {
	case "pause":
		now, err = plan.Pause(asking)
	case "resume":
		_, err = plan.Resume(asking)
	case "reset":
		_, err = plan.Reset(asking)
	case "close":
		_, err = plan.End(asking)
	case "remove":
		_, err = plan.Remove(asking)
	case "skip":
		count := int64(1)
		if j.order.Count != nil {
			count = *j.order.Count
		}
		now, err = plan.Skip(asking, count)
	case "trigger":
		err = trigger(asking, plan)
	case "cancel":
		err = j.cancel(ctx, plan)
	case RetryTasks:
		_, err = j.client.Task(name.Station, name.PlanID).Retry(asking)
	}
	if err == nil && now != nil && !now.LastPlanTime.IsZero() {
		j.ends()
	}
	return err
}

// ends notes a plan whose last occurrence the verb takes.
func (j *Job) ends() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.at.Ending++
}

// trigger runs a plan once more; a run that its policies skip counts as refused, as elsewhere.
func trigger(ctx context.Context, plan client.Plan) error {
	done, err := plan.Trigger(ctx)
	if err == nil && done.Skipped != "" {
		err = &schema.Error{Code: schema.CodeConflict, Message: fmt.Sprintf("run %d was skipped (%s)", done.N, done.Skipped)}
	}
	return err
}

// cancel ends all executions of a plan that are under way or wait.
func (j *Job) cancel(ctx context.Context, plan client.Plan) error {
	asking := context.WithoutCancel(ctx)
	view, err := plan.Get(asking)
	if err != nil {
		return err
	}
	cancelled := false
	var refused error
	for _, open := range view.State.Open {
		for _, execution := range open.Executions {
			if cancelled && !j.turn(ctx) { // the first has had its turn
				return errors.Join(refused, context.Cause(ctx))
			}
			cancelled = true
			if _, err := plan.Cancel(asking, execution.N); err != nil {
				refused = err
			}
		}
	}
	if !cancelled {
		return &schema.Error{Code: schema.CodeConflict, Message: "nothing of it is under way"}
	}
	return refused
}
