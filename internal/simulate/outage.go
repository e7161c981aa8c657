package simulate

import (
	"bytes"
	"context"
	"maps"
	"slices"

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

// CatchUp adds to the report the cost of its outages if all plans had one catch_up, each in a
// simulation of its own.
func (r *Report) CatchUp(ctx context.Context, source *Source, options Options) error {
	for _, policy := range []schema.WhenMissed{schema.MissedNone, schema.MissedCompact, schema.MissedFull} {
		other, err := source.WithCatchUp(policy)
		if err != nil {
			return err
		}
		report, err := Run(ctx, other, options, nil)
		if err != nil {
			return err
		}
		for i, o := range report.Outages {
			switch of := &r.Outages[i].CatchUp; policy {
			case schema.MissedNone:
				of.None = o.AsIs
			case schema.MissedCompact:
				of.Compact = o.AsIs
			case schema.MissedFull:
				of.Full = o.AsIs
			}
		}
	}
	return nil
}
