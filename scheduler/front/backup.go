package front

import (
	"context"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// export answers with plans and their records, by station, then id. A page is read while plans
// run: each plan is whole, and as it was at one moment, but not all at the same. The items of
// inboxes have a verb of their own, items. Headers that are secrets by nature are hidden,
// because more users may read plans than may call their targets.
func (ps plans) export(r *request) error {
	return exportPlans(r, func(enc wire.Encoding, view command.PlanView) (wire.Value, error) {
		view.Plan = schema.HidePlan(view.Plan)
		return copyEntry(enc, view)
	})
}

// export is that of plans, with every header and credential except named secrets, so that plans
// are restored whole. It belongs to the services of secrets, so that permission to use plans does
// not include reading the secrets of others.
func (ss secrets) export(r *request) error { return exportPlans(r, copyEntry) }

// exportPlans answers r with a page of plans, each as entry shows it.
func exportPlans(r *request, entry func(wire.Encoding, command.PlanView) (wire.Value, error)) error {
	var q schema.Export
	if err := r.decode(&q); err != nil {
		return err
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parsePlanCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		return r.front.planPage(ctx, newPage(r.enc, "plans", limit), command.ListPlans{Records: true}, after, entry)
	})
}

func copyEntry(enc wire.Encoding, view command.PlanView) (wire.Value, error) {
	whole := schema.PlanCopy{Plan: view.Plan, Record: view.Record, Inbox: view.State.Inbox}
	if whole.Inbox != nil {
		whole.PlanTime = view.State.PlanTime
	}
	c, err := whole.In(enc)
	if err != nil {
		return wire.Value{}, err
	}
	return wire.ValueOf(enc, &c)
}

// restore creates many plans with the records of a backup, or keeps those that exist.
func (ps plans) restore(r *request) error {
	var q schema.Restore
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkMany("plans with their records, as plans.export gives them", len(q.Plans), q.OnConflict, restoreConflicts); err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		known, err := ps.knownCopies(ctx, q.Plans)
		if err != nil {
			return nil, err
		}
		outcomes, err := ps.front.askAll(ctx, len(q.Plans), func(i int) (*creation, error) {
			return ps.restoration(ctx, r, q.Plans[i], q.OnConflict, known)
		})
		if err != nil {
			return nil, err
		}
		for i, c := range q.Plans {
			if c.Inbox != nil {
				outcomes[i] = ps.refill(ctx, r, c, q.OnConflict)
			}
		}
		return r.imported(outcomes), nil
	})
}

// There is no update, because a running plan must not be replaced by its earlier state.
var restoreConflicts = []string{string(schema.ConflictError), string(schema.ConflictKeep)}

// restoration checks one plan of a restore; known are those that have results here. The machine
// checks its record, because it has written it.
func (ps plans) restoration(ctx context.Context, r *request, c schema.PlanCopy, onConflict schema.OnConflict, known map[string]uint64) (*creation, error) {
	definition, err := definitionOf(c)
	if err != nil {
		return nil, err
	}
	if c.Inbox != nil {
		return nil, errRefilled
	}
	d, err := ps.checked(ctx, r, definition, schema.ParseOptions{Stored: true})
	if err != nil {
		return nil, err
	}
	record, err := recordOf(c)
	if err != nil {
		return nil, err
	}
	d.Plan.OnConflict = onConflict
	if known[ps.front.config.Space.Result(d.Plan.Station, d.Plan.PlanID)] != 0 {
		switch ended, err := ps.hasEnded(ctx, d, ranIn(record)); {
		case err != nil:
			return nil, err
		case ended && onConflict == schema.ConflictKeep:
			return nil, errFinished
		case ended:
			return nil, command.EndedSince()
		}
	}
	return &creation{d, definition, command.RestorePlan{Definition: d, Record: record}}, nil
}
