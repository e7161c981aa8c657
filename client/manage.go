package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Update says what is to change of a plan. What it does not name stays as the
// publisher sent it.
type Update struct {
	// Set holds the new values of fields. Its zero ones are not sent: to give a field
	// a zero value, or its default, name it in Clear. Lists and maps, and what is nested
	// in a field such as retry, are replaced whole. PlanID and Station are the plan's
	// name, and what it was created with, Paused and OnConflict, cannot be changed so.
	Set schema.Plan
	// Clear names fields, as they are called on the wire, that go back to their
	// defaults.
	Clear []string
	// Revision, unless 0, is the one that the change is meant for, from
	// [schema.PlanState]: the plan has changed since when the error is a conflict.
	Revision uint64
}

// Update changes fields of a plan. A new schedule counts from now on; occurrences
// that were counted stay counted. An execution in flight keeps what it was given.
// Without a revision, updates at one time are all carried out, one after the other.
// An error of code invalid_plan names the field that does not fit the others.
func (c *Client) Update(ctx context.Context, name schema.PlanName, u Update) (*schema.Created, error) {
	request, err := updateRequest(c, name, u)
	if err != nil {
		return nil, fmt.Errorf("update %s: %w", name, err)
	}
	return change[schema.Created](ctx, c, plansGroup, "update", request)
}

// updateRequest writes the fields that u sets, and null for those that it clears.
func updateRequest(c *Client, name schema.PlanName, u Update) (wire.Value, error) {
	if set := (schema.PlanName{Station: u.Set.Station, PlanID: u.Set.PlanID}); set != (schema.PlanName{}) && set != name {
		return wire.Value{}, errors.New("a plan cannot be renamed: leave out Set.Station and Set.PlanID")
	}
	u.Set.Station, u.Set.PlanID = name.Station, name.PlanID
	set, err := value(c, &u.Set)
	if err != nil {
		return wire.Value{}, err
	}
	w := wire.NewWriter(c.opts.Encoding, nil)
	w.BeginMap()
	for field, v := range set.Map() {
		if slices.Contains(u.Clear, field) {
			return wire.Value{}, fmt.Errorf("%s is both set and cleared", field)
		}
		w.KeyText(field)
		w.Value(v)
	}
	for _, field := range u.Clear {
		w.KeyText(field)
		w.Null()
	}
	if u.Revision != 0 {
		w.Key("revision")
		w.Uint(u.Revision)
	}
	w.EndMap()
	return w.Whole(), nil
}

// Pause stops a plan from being due. What falls due meanwhile is skipped, and never
// caught up; what is under way may finish, but is not retried. A plan that is paused
// already stays so.
func (c *Client) Pause(ctx context.Context, name schema.PlanName) (*schema.Standing, error) {
	return change[schema.Standing](ctx, c, plansGroup, "pause", name)
}

// Resume ends a pause. Of a plan that is not paused it changes nothing.
func (c *Client) Resume(ctx context.Context, name schema.PlanName) (*schema.Standing, error) {
	return change[schema.Standing](ctx, c, plansGroup, "resume", name)
}

// Trigger runs a plan once more, now and beside its schedule, as far as its overlap
// and concurrency let it. A plan that waits for a person, in pending or plan_error, is
// a conflict.
func (c *Client) Trigger(ctx context.Context, name schema.PlanName) (*schema.Triggered, error) {
	return change[schema.Triggered](ctx, c, plansGroup, "trigger", name)
}

// SkipAll is the count that has [Client.Skip] skip until it is told 0.
const SkipAll = -1

// Skip has the next count occurrences skipped when they fall due: 0 for none any
// more, [SkipAll] for all. The count that was said last stands.
func (c *Client) Skip(ctx context.Context, name schema.PlanName, count int64) (*schema.Standing, error) {
	request := schema.Skip{Station: name.Station, PlanID: name.PlanID, Count: &count}
	return change[schema.Standing](ctx, c, plansGroup, "skip", request)
}

// Reset takes a plan out of pending or plan_error: what it stopped at is tried again
// at once, with its errors forgotten. In any other status it is a conflict.
func (c *Client) Reset(ctx context.Context, name schema.PlanName) (*schema.Standing, error) {
	return change[schema.Standing](ctx, c, plansGroup, "reset", name)
}

// Cancel ends run n of a plan, which is under way or waits for its retry; its worker
// is told, and its occurrence is settled. A run that has ended is a conflict.
func (c *Client) Cancel(ctx context.Context, name schema.PlanName, n int64) (*schema.Standing, error) {
	request := schema.RunName{Station: name.Station, PlanID: name.PlanID, N: n}
	return change[schema.Standing](ctx, c, plansGroup, "cancel", request)
}

// Close ends a plan: no further occurrence; what is under way may finish.
func (c *Client) Close(ctx context.Context, name schema.PlanName) (*schema.Standing, error) {
	return change[schema.Standing](ctx, c, plansGroup, "close", name)
}

// Remove ends a plan at once; what is under way is cancelled.
func (c *Client) Remove(ctx context.Context, name schema.PlanName) (*schema.Standing, error) {
	return c.RemoveRevision(ctx, name, 0)
}

// RemoveRevision removes a plan that nobody has changed since it was read: another
// revision is a conflict. 0 is any.
func (c *Client) RemoveRevision(ctx context.Context, name schema.PlanName, revision uint64) (*schema.Standing, error) {
	request := schema.Remove{Station: name.Station, PlanID: name.PlanID, Revision: revision}
	return change[schema.Standing](ctx, c, plansGroup, "remove", request)
}

// Run returns run n of a plan, under way or ended, also when the plan has closed. One
// that never was, or is not kept any more, is not found.
func (c *Client) Run(ctx context.Context, name schema.PlanName, n int64) (*schema.Result, error) {
	request := schema.RunName{Station: name.Station, PlanID: name.PlanID, N: n}
	answer, err := readOne[schema.RunView](ctx, c, plansGroup, "run", request)
	if err != nil {
		return nil, err
	}
	run := new(schema.Result)
	if err := wire.DecodeLoose(answer.Run, run); err != nil {
		return nil, fmt.Errorf("read run %d of %s: %w", n, name, err)
	}
	return run, nil
}
