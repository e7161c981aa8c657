package front

import (
	"cmp"
	"context"
	"errors"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A plan with a single occurrence that is imported again under on_conflict keep is not run
// again, as long as its results are kept, because a file is imported again when it is not
// known how far the import came. A leader remembers closed plans for a short while only.

// known returns the plans of an import that may have closed, are to be kept, and have any
// result.
func (ps plans) known(ctx context.Context, r *request, q *schema.Import) (map[string]uint64, error) {
	found, err := ps.front.resultsOfKept(ctx, r, q.Plans, q.OnConflict, func(v wire.Value) (schema.PlanName, bool) {
		var name schema.PlanName
		err := wire.DecodeLoose(v, &name)
		return name, err == nil && isOnce(v)
	})
	if err != nil {
		return nil, unreadableRuns(err)
	}
	return found, nil
}

// isOnce reports that a plan has one occurrence.
func isOnce(v wire.Value) bool {
	kind := schema.TypeNone
	if given := v.Field("plan_type"); !given.IsZero() && kind.DecodeWire(given) != nil {
		return false // it is refused
	}
	return kind == schema.TypeNone || kind == schema.TypeTime
}

// hasRun reports that the single occurrence of a plan has been executed with its present
// definition, as far as results are kept.
func (ps plans) hasRun(ctx context.Context, d *schema.Definition) (bool, error) {
	kind := cmp.Or(d.Plan.PlanType, schema.TypeNone)
	if d.Plan.OnConflict != schema.ConflictKeep || kind != schema.TypeNone && kind != schema.TypeTime {
		return false, nil
	}
	stored, err := ps.front.config.Store.Results().Last(ctx, d.Plan.Station, d.Plan.PlanID)
	switch {
	case errors.Is(err, broker.ErrNotFound):
		return false, nil
	case err != nil:
		return false, unreadableRuns(err)
	}
	var r schema.Result
	if v, ok := scanResult(stored); !ok || wire.DecodeLoose(v, &r) != nil {
		return false, nil
	}
	return d.Plan.EndedWith(&r), nil
}
