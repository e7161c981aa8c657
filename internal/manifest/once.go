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

// A missing plan that came to its end by itself is no difference, because making it again
// would run it again at each apply.
//
// The functions below find such plans.

// goneBy returns the reason why a missing plan need not be made; empty: it must be.
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
	case over != "" && !plan.NoKeep: // a past time would be skipped, or is refused
		return "is over: " + over, nil
	default:
		return "", nil
	}
}

// endsUnrun refuses a change to times that have passed, because the plan that is there would end
// without a run.
func endsUnrun(ctx context.Context, c *client.Client, v wire.Value) error {
	plan, err := readPlan(v)
	if err != nil {
		return err
	}
	over, err := isOver(ctx, c, plan)
	if err != nil || over == "" || plan.NoKeep {
		return err
	}
	field, _, _ := strings.Cut(strings.TrimPrefix(over, "its "), " ")
	if field != "plan_time" {
		field = "end_at"
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: field,
		Message: over + ", and the plan that is there would end without a run: give a time that is to come, or take the plan out of the files, and remove it with plan rm",
	}
}

// isOver returns the reason why a plan has no occurrence left, by its times; empty: it has
// one.
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
		return why, nil // other errors are reported with their line
	}
	return "", err
}

// isYetToCome reports whether earlier runs under a plan's name were of another plan,
// because this one's time is to come.
func isYetToCome(plan *schema.Plan) bool {
	return plan.PlanType == schema.TypeTime || plan.StartAt.After(time.Now())
}

// hasRun searches the results of the last plan of that name for its final one. When end_at
// has passed it accepts any, because a count does not reveal that end.
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

// isDue asks the calendar whether the cron expression of a plan matches the due time of a run,
// because one that does not was changed since. The question starts a moment earlier, because
// nothing is due at the moment of acceptance. Other types count from when the plan was made,
// which is no longer known.
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

// traceless notes a new plan whose end will leave no result.
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
		report(o.Note, "%s: %s: log: none keeps no results, so each apply behind its end would run it again; log: trigger keeps that it ran", s.where[what], what)
	}
	return nil
}

// readPlan decodes a file's plan.
func readPlan(v wire.Value) (*schema.Plan, error) {
	plan := new(schema.Plan)
	if err := wire.Decode(v, plan); err != nil {
		return nil, fmt.Errorf("read plan %s: %w", nameOf(v), err)
	}
	return plan, nil
}
