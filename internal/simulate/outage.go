package simulate

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An outage is one that has begun.
type outage struct {
	from, until int64
	cost        OutageCost
}

// has reports that a due time lies in the outage.
func (o *outage) has(due int64) bool { return o.from <= due && due < o.until }

// passOutages lets time pass until the end of the last outage.
func (w *world) passOutages(ctx context.Context) {
	for _, o := range w.options.Outages {
		if w.pass(ctx, o.From.UnixMicro()); w.err != nil || w.cut {
			return
		}
		w.beginOutage()
		if w.pass(ctx, min(o.Until.UnixMicro(), w.until)); w.err != nil || w.cut {
			return
		}
		w.endOutage()
	}
}

// beginOutage has the scheduler act no more. The rows of the machine are written to the bucket,
// from which the next one is loaded.
func (w *world) beginOutage() {
	if w.bucket == nil {
		w.bucket = map[string][]byte{}
	}
	for w.more = true; w.more && w.err == nil; {
		w.more = false
		w.step(event.Flush{Max: 4096, Force: true})
	}
	o := w.options.Outages[len(w.tally.outages)]
	w.outage = &outage{from: o.From.UnixMicro(), until: o.Until.UnixMicro()}
	w.tally.outages = append(w.tally.outages, w.outage)
	w.down = true
}

// written takes rows into the bucket.
func (w *world) written(e *event.Write) {
	w.more = e.More || e.Left > 0 && len(e.Rows) > 0
	for _, r := range e.Rows {
		if len(r.Value) == 0 {
			delete(w.bucket, r.Key)
			continue
		}
		w.bucket[r.Key] = bytes.Clone(r.Value)
	}
}

// endOutage has another machine lead, which first receives the replies of workers since.
func (w *world) endOutage() {
	if w.err != nil {
		return
	}
	w.machine = w.newMachine()
	for _, key := range slices.Sorted(maps.Keys(w.bucket)) {
		if err := w.machine.ReplayBucket(key, w.bucket[key]); err != nil {
			w.err = err
			return
		}
	}
	w.batch.Seal()
	w.batch.Reset(1)
	w.down = false
	w.lead()
	captured := w.captured
	w.captured = nil
	w.forgetClaims()
	for _, reply := range captured {
		w.step(reply)
	}
	w.claimAll()
}

// WithCatchUp returns the source with another catch_up in all plans.
func (s *Source) WithCatchUp(policy schema.WhenMissed) (*Source, error) {
	out := *s
	for _, plans := range []*[]Plan{&out.Plans, &out.Changes} {
		*plans = slices.Clone(*plans)
		for i, p := range *plans {
			w := wire.NewWriter(p.Definition.Enc, nil)
			w.BeginMap()
			for name, v := range p.Definition.Value().Map() {
				if name != "catch_up" {
					w.KeyText(name)
					w.Value(v)
				}
			}
			w.Key("catch_up")
			w.Text(string(policy))
			w.EndMap()
			d, err := schema.ParsePlan(w.Whole(), schema.ParseOptions{NoCommand: true, Shown: true})
			if err != nil {
				return nil, &InputError{"plan " + p.Name().String(), err}
			}
			(*plans)[i].Definition = d
		}
	}
	return &out, nil
}

// hasCatchUp reports that the policy is in force for all plans of the source as they are.
func (s *Source) hasCatchUp(policy schema.WhenMissed) bool {
	records := map[string][]*schema.Station{}
	for _, r := range s.Stations {
		records[r.Station] = append(records[r.Station], r)
	}
	for _, r := range s.StationChanges {
		if records[r.Station] == nil {
			records[r.Station] = append(records[r.Station], nil) // it had no record before
		}
		records[r.Station] = append(records[r.Station], r)
	}
	for _, p := range slices.Concat(s.Plans, s.Changes) {
		plan := &p.Definition.Plan
		has := func(r *schema.Station) bool { return plan.Terms(r, schema.Defaults{}).CatchUp == policy }
		if of := records[plan.Station]; of == nil && !has(nil) || slices.ContainsFunc(of, func(r *schema.Station) bool { return !has(r) }) {
			return false
		}
	}
	return true
}

// CatchUp adds to the report the cost of its outages if all plans had one catch_up, each in a
// simulation of its own, which ends when the cost is known.
func (r *Report) CatchUp(ctx context.Context, source *Source, options Options) error {
	for _, policy := range []schema.WhenMissed{schema.MissedNone, schema.MissedCompact, schema.MissedFull} {
		costs, err := r.costsUnder(ctx, source, options, policy)
		if err != nil {
			return err
		}
		for i, cost := range costs {
			switch of := &r.Outages[i].CatchUp; policy {
			case schema.MissedNone:
				of.None = cost
			case schema.MissedCompact:
				of.Compact = cost
			case schema.MissedFull:
				of.Full = cost
			}
		}
	}
	return nil
}

// costsUnder returns the cost of each outage if all plans had the policy.
func (r *Report) costsUnder(ctx context.Context, source *Source, options Options, policy schema.WhenMissed) ([]OutageCost, error) {
	costs := make([]OutageCost, len(r.Outages))
	if source.hasCatchUp(policy) {
		for i, o := range r.Outages {
			costs[i] = o.AsIs
		}
		return costs, nil
	}
	other, err := source.WithCatchUp(policy)
	if err != nil {
		return nil, err
	}
	w, err := begin(ctx, other, options, nil)
	if err != nil {
		return nil, err
	}
	if err := w.runUntilCostsAreKnown(ctx); err != nil {
		return nil, err
	}
	for i, o := range w.tally.outages {
		costs[i] = o.cost
	}
	return costs, nil
}

// firstLook is the time from the end of the last outage until its cost is asked for; each later look
// takes twice as long, because each asks for all plans.
const firstLook = 10 * minuteMicros

// runUntilCostsAreKnown lets time pass until all that fell due in an outage has run or was skipped,
// at the most until the end.
func (w *world) runUntilCostsAreKnown(ctx context.Context) error {
	w.passOutages(ctx)
	end := min(w.outage.until, w.until)
	for after := firstLook; w.err == nil && !w.cut; after *= 2 {
		if end+after >= w.until {
			return w.finish(ctx)
		}
		if w.settled(end) {
			return w.err
		}
		w.pass(ctx, end+after)
	}
	return w.err
}

// settled reports that no occurrence that was due before a moment will run or be skipped any more.
func (w *world) settled(end int64) bool {
	for _, p := range w.plans {
		if !p.last.At.Before(microTime(end)) {
			continue
		}
		if !p.schedule.Continuous() {
			if left, _ := p.schedule.Passed(p.last, microTime(end)); left == 0 {
				continue
			}
		}
		answer, _ := w.ask(command.GetPlan{Name: p.name}) // an error: it has closed
		if w.err != nil {
			return false
		}
		view, is := answer.(command.PlanView)
		if !is {
			continue
		}
		switch view.State.Status {
		case schema.StatusPaused, schema.StatusPending, schema.StatusPlanError: // nothing of it runs
		default:
			return false
		}
	}
	return true
}
