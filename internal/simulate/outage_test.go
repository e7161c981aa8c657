package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/simulate"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The cost of an outage under another catch_up is that of the whole simulation, although the one that
// finds it ends when the cost is known.
func TestTheCostOfAnOutageIsThatOfAWholeSimulation(t *testing.T) {
	pick := func(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		var plans []string
		for i := range 1 + r.IntN(4) {
			plans = append(plans, fmt.Sprintf(`{"station":"s","plan_id":"p%d","command":"c","plan_type":"second","plan_value":%d,"plan_repet":%s%s%s%s}`, i,
				20+r.IntN(600), pick(r, "-1", "-1", "15"),
				pick(r, "", `,"overlap":"skip"`, `,"overlap":"queue"`, `,"overlap":"parallel","max_concurrency":2`),
				pick(r, "", `,"jitter":30`, `,"retry":{"strategy":"none","need_manual":true}`),
				pick(r, "", `,"catch_up":"none"`, `,"catch_up":"full"`)))
		}
		plans = append(plans, `{"station":"s","plan_id":"late","command":"c","plan_type":"cron","cron":"`+pick(r, "15 * * * *", "30 3 * * *")+`"}`)
		s := sourceOf(t, []string{pick(r, `{"station":"s"}`, `{"station":"s","catch_up":"full"}`, `{"station":"s","max_concurrency":1}`)}, plans...)
		o := options(6*time.Hour, time.Duration(5+r.IntN(90))*time.Second)
		o.Fail = float64(r.IntN(2)) / 50
		o.Workers = map[string]int{"s": 1 + r.IntN(3)}
		for at := from.Add(time.Duration(r.IntN(3000)) * time.Second); len(o.Outages) < 1+r.IntN(2); {
			until := at.Add(time.Duration(60+r.IntN(6000)) * time.Second)
			o.Outages = append(o.Outages, simulate.Outage{From: at, Until: until})
			at = until.Add(time.Duration(1+r.IntN(3000)) * time.Second)
		}
		report, _ := run(t, s, o)
		if err := report.CatchUp(t.Context(), s, o); err != nil {
			t.Fatal(err)
		}
		for _, policy := range []schema.WhenMissed{schema.MissedNone, schema.MissedCompact, schema.MissedFull} {
			other, err := s.WithCatchUp(policy)
			if err != nil {
				t.Fatal(err)
			}
			whole, _ := run(t, other, o)
			for i, want := range whole.Outages {
				c := report.Outages[i].CatchUp
				got := map[schema.WhenMissed]simulate.OutageCost{schema.MissedNone: c.None, schema.MissedCompact: c.Compact, schema.MissedFull: c.Full}[policy]
				if diff := cmp.Diff(want.AsIs, got); diff != "" {
					t.Fatalf("seed %d, outage %d, catch_up %s (-whole +got):\n%s\n%v %+v", seed, i+1, policy, diff, plans, o)
				}
			}
		}
	}
}

// looks counts how often a simulation looks at its context, which it does every few thousand steps.
type looks struct {
	context.Context
	n int
}

func (l *looks) Err() error { l.n++; return l.Context.Err() }

// A year with an outage costs little more than a year without one.
func TestTheCostOfAnOutageIsKnownSoonAfterIt(t *testing.T) {
	s := sourceOf(t, nil, `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"* * * * *"}`)
	o := options(90*24*time.Hour, time.Second)
	o.Outages = []simulate.Outage{{From: from.Add(time.Hour), Until: from.Add(3 * time.Hour)}}
	whole := &looks{Context: t.Context()}
	r, err := simulate.Run(whole, s, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	costs := &looks{Context: t.Context()}
	if err := r.CatchUp(costs, s, o); err != nil {
		t.Fatal(err)
	}
	if costs.n > whole.n/20 {
		t.Errorf("looked at the context %d times for the costs, %d times in the whole simulation", costs.n, whole.n)
	}
}
