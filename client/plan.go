package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Plan is a handle of one plan, which need not exist, because each method is one request about
// the plan of that name. Methods return an error that is [ErrNotFound] when there is no such
// plan. A Plan can be copied, and used by many goroutines at once.
type Plan struct {
	c    *Client
	name schema.PlanName
}

// Plan returns the handle of a plan by station and id, in the order of STATION/ID.
func (c *Client) Plan(station, id string) Plan {
	return c.PlanNamed(schema.PlanName{Station: station, PlanID: id})
}

// PlanNamed returns the handle of a plan by its name.
func (c *Client) PlanNamed(name schema.PlanName) Plan { return Plan{c, name} }

// Name returns the station and the id of the plan.
func (p Plan) Name() schema.PlanName { return p.name }

// Get returns the plan's definition and state. A plan that has closed is not found.
func (p Plan) Get(ctx context.Context) (*schema.PlanView, error) {
	return readOne[schema.PlanView](ctx, p.c, plansGroup, "get", p.name)
}

// Pause stops the plan from being due. Occurrences that fall due meanwhile are skipped, and
// never caught up; executions in flight may finish, but are not retried. Pausing a paused
// plan changes nothing.
func (p Plan) Pause(ctx context.Context) (*schema.Standing, error) {
	return change[schema.Standing](ctx, p.c, plansGroup, "pause", p.name)
}

// Resume ends a pause. It changes nothing when the plan is not paused.
func (p Plan) Resume(ctx context.Context) (*schema.Standing, error) {
	return change[schema.Standing](ctx, p.c, plansGroup, "resume", p.name)
}

// Trigger runs the plan once more, now and beside its schedule, as far as its overlap and
// concurrency allow it. The error is [ErrConflict] in the states pending and plan_error,
// because the plan then waits for a person.
func (p Plan) Trigger(ctx context.Context) (*schema.Triggered, error) {
	return change[schema.Triggered](ctx, p.c, plansGroup, "trigger", p.name)
}

// SkipAll is the count with which [Plan.Skip] skips every occurrence until the next Skip.
const SkipAll = -1

// Skip sets how many of the next occurrences are skipped when they fall due: 0 is none,
// [SkipAll] all. It replaces the count of an earlier Skip.
func (p Plan) Skip(ctx context.Context, count int64) (*schema.Standing, error) {
	request := schema.Skip{Station: p.name.Station, PlanID: p.name.PlanID, Count: &count}
	return change[schema.Standing](ctx, p.c, plansGroup, "skip", request)
}

// Reset takes the plan out of pending or plan_error. The occurrence at which it stopped is tried
// again at once, with its error count at 0. In any other state the error is [ErrConflict].
func (p Plan) Reset(ctx context.Context) (*schema.Standing, error) {
	return change[schema.Standing](ctx, p.c, plansGroup, "reset", p.name)
}

// Cancel ends run n, which is in flight or waits for its retry; its worker is notified, and
// its occurrence is settled. The error is [ErrConflict] when the run has ended.
func (p Plan) Cancel(ctx context.Context, n int64) (*schema.Standing, error) {
	request := schema.RunName{Station: p.name.Station, PlanID: p.name.PlanID, N: n}
	return change[schema.Standing](ctx, p.c, plansGroup, "cancel", request)
}

// Upcoming returns the next occurrences of the plan as it stands, with its pause, the skips and
// the repetitions that are left. The request's Station and PlanID are set here. A plan that is
// paused or has stopped has none, and the answer's Reason is the cause.
func (p Plan) Upcoming(ctx context.Context, request schema.Upcoming) (*schema.Previewed, error) {
	request.Station, request.PlanID = p.name.Station, p.name.PlanID
	return readOne[schema.Previewed](ctx, p.c, plansGroup, "upcoming", request)
}

// Explain answers why an occurrence of the plan ran, why it did not, or when it will; with a
// zero request, about what is next or under way. The request's Station and PlanID are set here. A
// plan that has closed is explained, too, while its results are kept. The error is [ErrNotFound]
// for a run that never was.
func (p Plan) Explain(ctx context.Context, request schema.Explain) (*schema.Explanation, error) {
	request.Station, request.PlanID = p.name.Station, p.name.PlanID
	return readOne[schema.Explanation](ctx, p.c, plansGroup, "explain", request)
}

// End closes the plan (the verb plans.close), so that it has no further occurrence, and
// executions in flight may finish.
func (p Plan) End(ctx context.Context) (*schema.Standing, error) {
	return change[schema.Standing](ctx, p.c, plansGroup, "close", p.name)
}

// Remove closes the plan at once, and cancels executions in flight.
func (p Plan) Remove(ctx context.Context) (*schema.Standing, error) {
	return p.RemoveRevision(ctx, 0)
}

// RemoveRevision is [Plan.Remove] of a plan that has not changed since it was read. The error is
// [ErrConflict] when its revision is another. 0 is any revision.
func (p Plan) RemoveRevision(ctx context.Context, revision uint64) (*schema.Standing, error) {
	return p.RemoveAsRead(ctx, schema.PlanState{Revision: revision})
}

// RemoveAsRead is [Plan.Remove] of the plan that was read with [Plan.Get] in that state. The
// error is [ErrConflict] when its revision or its incarnation is another. 0 is any of them.
func (p Plan) RemoveAsRead(ctx context.Context, read schema.PlanState) (*schema.Standing, error) {
	request := schema.Remove{
		Station: p.name.Station, PlanID: p.name.PlanID, Revision: read.Revision, Incarnation: read.Incarnation,
	}
	return change[schema.Standing](ctx, p.c, plansGroup, "remove", request)
}

// Run returns run n of the plan, in flight or ended, also after the plan has closed. The
// error is [ErrNotFound] when the run never was, or is not kept any more.
func (p Plan) Run(ctx context.Context, n int64) (*schema.Result, error) {
	request := schema.RunName{Station: p.name.Station, PlanID: p.name.PlanID, N: n}
	answer, err := readOne[schema.RunView](ctx, p.c, plansGroup, "run", request)
	if err != nil {
		return nil, err
	}
	run := new(schema.Result)
	if err := wire.DecodeLoose(answer.Run, run); err != nil {
		return nil, fmt.Errorf("read run %d of %s: %w", n, p.name, err)
	}
	return run, nil
}

// Runs returns the runs of the plan that match request, newest first, as [Runs.All] does.
// The station and the plan id of request are the plan's.
func (p Plan) Runs(ctx context.Context, request schema.ListRuns) iter.Seq2[schema.Result, error] {
	request.Station, request.PlanID = p.name.Station, p.name.PlanID
	return p.c.Runs().All(ctx, request)
}

// Push adds an item to the plan's inbox; request.Plan is the definition with which the plan
// is created when there is none. The station and the plan id of request are the plan's.
// A push that is repeated after [ErrUnavailable] may add the item twice.
func (p Plan) Push(ctx context.Context, request schema.Push) (*schema.Pushed, error) {
	request.Station, request.PlanID = p.name.Station, p.name.PlanID
	return change[schema.Pushed](ctx, p.c, plansGroup, "push", request)
}
