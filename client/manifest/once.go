package manifest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// isDone reports that a plan that is not there, and has but one occurrence, has had it: its
// time has passed, or its results show that the same command with the same messages was run
// under its name, at this time. It closed then, and is no difference to what a file says.
func isDone(ctx context.Context, c *client.Client, v wire.Value) (bool, error) {
	var plan schema.Plan
	if err := wire.Decode(v, &plan); err != nil {
		return false, fmt.Errorf("read plan %s: %w", nameOf(v), err)
	}
	switch plan.PlanType {
	case schema.TypeTime:
		if past := plan.PlanTime.Before(time.Now()); !past || !plan.NoKeep {
			return past, nil // it is yet to come, whatever ran before; or would be skipped, as past
		}
	case schema.TypeNone, "":
	default:
		return false, nil
	}
	for run, err := range c.AllRuns(ctx, schema.ListRuns{Station: plan.Station, PlanID: plan.PlanID}) {
		switch {
		case isNotFound(err):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("look whether plan %s was run: %w", nameOf(v), err)
		case run.Final && run.State != schema.StateSkipped:
			return isOf(&run, &plan), nil
		}
	}
	return false, nil
}

// isOf reports that a run was one of a plan as it is defined, at its time if it has one.
func isOf(run *schema.Result, plan *schema.Plan) bool {
	return run.Command == plan.Command &&
		(run.Messages == nil || slices.EqualFunc(run.Messages, plan.Messages, same)) &&
		(plan.PlanType != schema.TypeTime || run.PlanTime.Equal(plan.PlanTime))
}

func same(a, b wire.Value) bool { return plain(a) == plain(b) }
