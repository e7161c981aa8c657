package front

import (
	"context"
	"errors"
	"slices"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/ahead"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A plan that came to its end by itself is not made again by an import under on_conflict keep or
// update, nor by a restore, as long as its results are kept, because it would run again. A file
// is imported again when it is not known how far the import came, and a backup is older than the
// runs since. A leader remembers closed plans for a short while only.

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
	end := v.Field("end_at")
	return name, kind == schema.TypeNone || kind == schema.TypeTime || repet > 0 || !end.IsZero() && end.Kind() != wire.KindNull
}

// neverRan is the count of occurrences that ran before a plan is made anew, which no result has.
const neverRan = -1

// ranIn is how many occurrences of a plan had run when its record was exported; neverRan, too, if one was
// under way, because that may have run since.
func ranIn(record wire.Value) int64 {
	if record.Field("open").Len() > 0 {
		return neverRan
	}
	n, _ := record.Field("real_repet").Int()
	return n
}

// hasEnded reports that a plan of d's name came to its end as d defines it, as far as results are
// kept, and that there is none of that name now. One of which occurrences were only skipped since
// ranBefore had run has not, because a pause ends a plan with its last occurrence, and nothing runs
// twice when that is taken back.
func (ps plans) hasEnded(ctx context.Context, d *schema.Definition, ranBefore int64) (bool, error) {
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
	if r.State == schema.StateSkipped && r.RealRepet == ranBefore {
		return false, nil // nothing of it would run again
	}
	if !d.Plan.EndedWith(&r) {
		if over, err := ps.reachedEnd(ctx, &d.Plan, &r); err != nil || !over {
			return false, err
		}
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

// reachedEnd reports that no time of p lies between the one of its last result and end_at: a count of
// occurrences shows nothing of such an end.
func (ps plans) reachedEnd(ctx context.Context, p *schema.Plan, last *schema.Result) (bool, error) {
	if p.EndAt.IsZero() || !last.Final || !p.RanAs(last) {
		return false, nil
	}
	set, err := ps.front.calendarsOf(ctx, p)
	if err != nil {
		return false, err
	}
	after, err := ahead.Preview(p, &schema.Preview{From: last.PlanTime}, maxPreview, set)
	if wrong, is := errors.AsType[*schema.Error](err); is {
		return wrong.Field == "end_at", nil
	}
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(after.Occurrences, func(o schema.PreviewedOccurrence) bool {
		return !o.Skipped && o.PlanTime.After(last.PlanTime)
	}), nil
}
