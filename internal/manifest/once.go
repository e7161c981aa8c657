package manifest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A plan that comes to an end by itself, and has, is gone and no difference to what a file
// says: made again it would run again at each apply.

// goneBy says why a plan that is not there need not be made; empty: it has to be.
func goneBy(ctx context.Context, c *client.Client, plan *schema.Plan) (why string, err error) {
	over, err := isOver(ctx, c, plan)
	if err != nil || plan.Ends() == 0 && over == "" || over == "" && isYetToCome(plan) {
		return "", err
	}
	switch ran, err := hasRun(ctx, c, plan, over != "" && plan.PlanType != schema.TypeTime); {
	case err != nil:
		return "", err
	case ran:
		return "has run", nil
	case over != "" && !plan.NoKeep: // what is past would be skipped, or is refused
		return "is over: " + over, nil
	default:
		return "", nil
	}
}

// isOver says why the times of a plan say that it has nothing more to come; empty: it has.
func isOver(ctx context.Context, c *client.Client, plan *schema.Plan) (why string, err error) {
	now := time.Now()
	switch {
	case plan.PlanType == schema.TypeTime && plan.PlanTime.Before(now):
		return "its plan_time has passed", nil
	case plan.EndAt.IsZero() || plan.StartAt.After(now):
		return "", nil
	case plan.EndAt.Before(now):
		return "its end_at has passed", nil
	}
	_, err = c.Plans().Preview(ctx, *plan, time.Time{}, 1)
	if wrong, is := errors.AsType[*schema.Error](err); is && wrong.Code == schema.CodeInvalidPlan {
		if wrong.Field == "end_at" {
			why = "no occurrence is left before its end_at"
		}
		return why, nil // what else is wrong is told with its line
	}
	return "", err
}

// isYetToCome reports that what ran before under the name of a plan was another one, because
// this one's time is to come.
func isYetToCome(plan *schema.Plan) bool {
	return plan.PlanType == schema.TypeTime || plan.StartAt.After(time.Now())
}

// hasRun looks among the results of the last plan of that name for the one that it ended
// with, or, when end_at has passed, which is an end that no count tells, for any.
func hasRun(ctx context.Context, c *client.Client, plan *schema.Plan, anyRun bool) (bool, error) {
	life := ""
	for run, err := range c.Runs().All(ctx, schema.ListRuns{Station: plan.Station, PlanID: plan.PlanID}) {
		switch {
		case isNotFound(err):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("look whether plan %s/%s was run: %w", plan.Station, plan.PlanID, err)
		}
		of := run.Key[:strings.LastIndexByte(run.Key, '/')+1]
		if life == "" {
			life = of
		}
		switch {
		case of != life:
			return false, nil
		case plan.EndedWith(&run), anyRun && run.Final && plan.RanAs(&run):
			return isDue(ctx, c, plan, &run)
		}
	}
	return false, nil
}

// isDue asks the calendar whether the cron expression of a plan matches when a run was due:
// one that does not was changed since. Nothing is due at the moment of acceptance, so that
// lies right before. Other types count from when the plan was made, which nobody knows any more.
func isDue(ctx context.Context, c *client.Client, plan *schema.Plan, run *schema.Result) (bool, error) {
	if plan.PlanType != schema.TypeCron || strings.HasPrefix(plan.Cron, "@every") || run.Trigger == schema.TriggerManual {
		return true, nil
	}
	times := &schema.Plan{Schedule: schema.Cron(plan.Cron, plan.Timezone)}
	next, err := c.Plans().Preview(ctx, *times, run.PlanTime.Add(-time.Millisecond), 1)
	if err != nil {
		return false, fmt.Errorf("look when plan %s/%s is due: %w", plan.Station, plan.PlanID, err)
	}
	return len(next) > 0 && next[0].PlanTime.Equal(run.PlanTime), nil
}

// traceless notes of a plan that is made that nothing will tell that it came to its end.
func (s *Set) traceless(change *Change, o Options) error {
	if change.Action != Create {
		return nil
	}
	plan, err := readPlan(change.value)
	if err != nil {
		return err
	}
	byTime := plan.PlanType == schema.TypeTime && !plan.NoKeep
	if plan.Log == schema.LogNone && plan.Ends() > 0 && !byTime {
		what := "plan " + change.plan.String()
		tell(o.Note, "%s: %s: log: none keeps no results, so each apply behind its end would run it again; log: trigger keeps that it ran", s.where[what], what)
	}
	return nil
}

// readPlan reads what a file says of a plan.
func readPlan(v wire.Value) (*schema.Plan, error) {
	plan := new(schema.Plan)
	if err := wire.Decode(v, plan); err != nil {
		return nil, fmt.Errorf("read plan %s: %w", nameOf(v), err)
	}
	return plan, nil
}
