package machine

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A plan is restored to its saved state after any change of its lists.
func TestASavedPlanIsRestored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		p.Station = &state.Station{UnderWay: 3, Plans: 2}
		was, err := state.ParseState(p.AppendState(new(wire.Writer), nil))
		if err != nil {
			t.Fatal(err)
		}
		var s state.Saved
		for range 2 { // its room is used again
			s.Save(p)
			changeAll(p)
			s.Restore()
			if diff := cmp.Diff(was, p.Record, unexported, sameValue); diff != "" {
				t.Fatalf("restored with a difference: %s", diff)
			}
		}
		if p.Station.UnderWay != 3 || p.Station.Plans != 2 {
			t.Fatalf("its station has %d under way, %d plans", p.Station.UnderWay, p.Station.Plans)
		}
	})
}

// changeAll changes all of p that a turn may change, in place where transitions do it so.
func changeAll(p *state.Plan) {
	for _, o := range p.Open {
		for _, x := range o.Live {
			x.N, x.State, x.Worker = x.N+1, "changed", "changed"
			if x.Ballot != nil {
				x.Ballot.Add(schema.Vote{WorkerID: "changed"}, 7)
			}
		}
		slices.Reverse(o.Live)
		if len(o.Live) > 0 {
			o.Remove(o.Live[0])
		}
		if c := o.Several; c != nil {
			for i := range c.Again {
				c.Again[i].Worker = "changed"
			}
			c.Again = append(slices.Delete(c.Again, 0, min(1, len(c.Again))), state.Slot{N: 1})
			c.Done = append(c.Done, state.Slot{N: 2})
		}
		for i := range o.Ended {
			o.Ended[i] = -o.Ended[i] - 1
		}
		o.K, o.Unsure, o.LastError = o.K+1, true, nil
	}
	if len(p.Open) > 0 {
		p.Open = append(append(p.Open[:0], p.Open[1:]...), &state.Occurrence{K: 1})
	}
	p.N, p.Closing, p.Suspension, p.Marks, p.Skip = p.N+1, false, nil, nil, nil
	p.Station.UnderWay, p.Station.Plans = 0, 0
}

// A turn that is cut off a batch leaves the rows of earlier turns as they were.
func TestATurnIsCutOffItsBatch(t *testing.T) {
	p, q := queued(), &state.Plan{Name: schema.PlanName{Station: "s", PlanID: "q"}}
	q.Incarnation = 8
	b := batch.New(1 << 10)
	b.Reset(1)
	b.Begin()
	b.Put(p)
	b.Put(q)
	b.Keep()
	whole := b.Size()

	b.Begin()
	p.Revision++
	b.Put(p)
	b.Drop(q)
	b.AppendRow(event.RowResult, p.Name, 1, make([]byte, 1<<10))
	b.Results, b.Items = 1, 1
	b.Affirm(q)
	if b.Fits() {
		t.Fatal("more than it takes fits")
	}
	b.Cut()
	p.Revision--
	if b.Size() != whole || b.Results != 0 || b.Items != 0 || !b.Fits() {
		t.Fatalf("%d bytes are left of %d, %d results, %d items", b.Size(), whole, b.Results, b.Items)
	}
	got := rows(t, b.Seal())
	if diff := cmp.Diff([]string{"s s/p", "s s/q"}, got); diff != "" {
		t.Error(diff)
	}
}
