package front

import (
	"context"
	"errors"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/explain"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// explain answers why an occurrence of a plan ran, why it did not, or when it will. The leader is
// asked first, as in runs, because the result of an occurrence that it knows as settled is stored
// by the time of its answer.
func (ps plans) explain(r *request) error {
	var q schema.Explain
	if err := r.decode(&q); err != nil {
		return err
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	if err := r.checkExplain(&q); err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) { return ps.explanation(ctx, name, q) })
}

// checkExplain refuses a request about more than one thing.
func (r *request) checkExplain(q *schema.Explain) error {
	asked := ""
	for _, of := range []struct {
		field string
		given bool
	}{{"occurrence", q.Occurrence != 0}, {"n", q.N != 0}, {"at", !q.At.IsZero()}} {
		switch {
		case of.given && asked != "":
			return r.invalid(of.field, "%s and %s are given; give at most one of occurrence, n and at", asked, of.field)
		case of.given:
			asked = of.field
		}
	}
	if q.Lang != "" {
		return among(r, schema.Langs(), "lang", q.Lang)
	}
	return nil
}

func (ps plans) explanation(ctx context.Context, name schema.PlanName, q schema.Explain) (*schema.Explanation, error) {
	facts := explain.Facts{Ask: q, Now: ps.now()}
	known, refused := ask[command.Explained](ctx, ps.front, ps.front.partition(name.PlanID),
		command.ExplainPlan{Name: name, Occurrence: q.Occurrence, N: q.N, At: q.At})
	switch {
	case refused == nil:
		facts.Leader = &known
	case !isGone(refused):
		return nil, refused
	}
	life := uint64(0) // the newest
	if facts.Leader != nil {
		life = known.Incarnation
		facts.NoSecret = ps.missingSecret(ctx, name, known.Plan)
	}
	var err error
	if facts.Kept, err = ps.front.keptOf(ctx, name, life); err != nil {
		return nil, err
	}
	if facts.Leader == nil && len(facts.Kept) == 0 {
		return nil, refused
	}
	return explain.Explain(&facts)
}

// missingSecret is the first secret that a plan's calls are made with and that is not there; empty:
// none, or the secrets cannot be read.
func (ps plans) missingSecret(ctx context.Context, name schema.PlanName, plan wire.Value) string {
	if name.Station != schema.HTTPStation {
		return ""
	}
	for _, secret := range secretsOf(plan) {
		if _, err := ps.front.config.Secrets.Named(ctx, secret); errors.Is(err, broker.ErrNotFound) {
			return secret
		}
	}
	return ""
}

// isGone reports that a leader has no such plan, unlike that the plan has had no such execution.
func isGone(err error) bool {
	var e *schema.Error
	return errors.As(err, &e) && e.Code == schema.CodeNotFound && e.Field != "n"
}

// keptOf reads the results of a life of a plan, 0 being the newest that has any, the oldest first.
func (f *Front) keptOf(ctx context.Context, name schema.PlanName, life uint64) ([]explain.Kept, error) {
	var kept []explain.Kept
	newest := life
	err := f.config.Store.Results().Of(ctx, name.Station, name.PlanID, func(stored broker.StoredResult) error {
		v, ok := scanResult(stored)
		if !ok {
			return nil
		}
		of := uint64(max(runOf(v).id.incarnation, 0)) //nolint:gosec // not negative
		switch {
		case life == 0 && of > newest:
			kept, newest = kept[:0], of
		case of != newest:
			return nil
		}
		var one explain.Kept
		if wire.DecodeLoose(v, &one) == nil { // else it is no result, though stored where results are
			kept = append(kept, one)
		}
		return nil
	})
	if err != nil {
		return nil, unreadableRuns(err)
	}
	return kept, nil
}
