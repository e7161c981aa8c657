package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Update holds changes of a plan. Fields that it does not name stay as the publisher sent
// them.
type Update struct {
	// Set holds the new values of fields. Its zero fields are not sent: a field takes a zero
	// value, or its default, by its name in Clear. Lists and maps, and nested fields such as
	// retry, are replaced as a whole. PlanID and Station are the plan's name, and cannot
	// change; neither can Paused and OnConflict, because they are about the creation.
	Set schema.Plan
	// Clear names fields, as on the wire, that go back to their defaults.
	Clear []string
	// Revision is the one that the change is meant for, from [schema.PlanState]: the error
	// is [ErrConflict] when the plan has changed since. 0 is any revision.
	Revision uint64
	// Incarnation is that of [schema.PlanState]: the error is [ErrConflict] when the name has
	// another plan by now. 0 is any.
	Incarnation uint64
}

// Update changes fields of the plan. A new schedule counts from now on; occurrences that were
// counted stay counted. An execution in flight keeps its definition. Updates without a
// revision are carried out one after the other. The error is [ErrInvalidPlan], and names the
// field, when one does not fit the others.
func (p Plan) Update(ctx context.Context, u Update) (*schema.Created, error) {
	request, err := updateRequest(p.c, p.name, u)
	if err != nil {
		return nil, fmt.Errorf("update %s: %w", p.name, err)
	}
	return change[schema.Created](ctx, p.c, plansGroup, "update", request)
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
	if u.Incarnation != 0 {
		w.Key("incarnation")
		w.Uint(u.Incarnation)
	}
	w.EndMap()
	return w.Whole(), nil
}
