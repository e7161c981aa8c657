package front

import (
	"context"
	"errors"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A plan that came to its end by itself is not made again by an import under on_conflict keep or
// update, nor by a restore, as long as its results are kept, because it would run again: a file is
// imported again when it is not known how far the import came, and a backup is older than the runs
// since. A leader remembers closed plans for a short while only.

// known returns the plans of an import that may have closed, are not to be made again, and have
// any result.
func (ps plans) known(ctx context.Context, r *request, q *schema.Import) (map[string]uint64, error) {
	found, err := ps.front.resultsOf(ctx, r, q.Plans, q.OnConflict, []schema.OnConflict{schema.ConflictKeep, schema.ConflictUpdate}, finite)
	if err != nil {
		return nil, unreadableRuns(err)
	}
	return found, nil
}

// knownCopies is known for a restore.
func (ps plans) knownCopies(ctx context.Context, copies []schema.PlanCopy) (map[string]uint64, error) {
	var subjects []string
	for _, c := range copies {
		if definition, err := c.Definition(); err == nil && c.Inbox == nil {
			if name, ok := finite(definition); ok && name.Check() == nil {
				subjects = append(subjects, ps.front.config.Space.Result(name.Station, name.PlanID))
			}
		}
	}
	if len(subjects) == 0 {
		return nil, nil
	}
	found, err := ps.front.config.Store.Results().Newest(ctx, subjects)
	if err != nil {
		return nil, unreadableRuns(err)
	}
	return found, nil
}

// finite names a plan that comes to an end by itself; false: it is none.
func finite(v wire.Value) (name schema.PlanName, ends bool) {
	if err := wire.DecodeLoose(v, &name); err != nil {
		return name, false
	}
	kind := schema.TypeNone
	if given := v.Field("plan_type"); !given.IsZero() && kind.DecodeWire(given) != nil {
		return name, false // it is refused
	}
	repet, _ := v.Field("plan_repet").Int()
	return name, kind == schema.TypeNone || kind == schema.TypeTime || repet > 0
}

// hasEnded reports that a plan of d's name came to its end as d defines it, as far as results are
// kept, and that there is none of that name now.
func (ps plans) hasEnded(ctx context.Context, d *schema.Definition) (bool, error) {
	stored, err := ps.front.config.Store.Results().Last(ctx, d.Plan.Station, d.Plan.PlanID)
	switch {
	case errors.Is(err, broker.ErrNotFound):
		return false, nil
	case err != nil:
		return false, unreadableRuns(err)
	}
	var r schema.Result
	if v, ok := scanResult(stored); !ok || wire.DecodeLoose(v, &r) != nil || !d.Plan.EndedWith(&r) {
		return false, nil
	}
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	view, err := ask[command.PlanView](ctx, ps.front, ps.front.placeOf(d), command.GetPlan{Name: name})
	switch {
	case errors.Is(err, schema.CodeNotFound):
		return true, nil
	case err != nil:
		return false, err
	}
	return view.State.Status == schema.StatusClosed, nil
}
