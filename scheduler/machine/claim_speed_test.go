package machine

import (
	"fmt"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/claiming"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// crowd is a machine with so many plans at pull station s that wait to be claimed.
func crowd(t *testing.T, count int, fields string) *bench {
	x := newBench(t)
	x.m.Step(x.now, event.Ask{What: command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindPull}}}, x.b)
	d := parse(t, `{"plan_id":"p","station":"s","command":"c"`+fields+`}`)
	for i := range count {
		if i%1000 == 0 {
			x.b.Seal()
			x.b.Reset(x.b.Number + 1)
		}
		one := *d
		one.Plan.PlanID = fmt.Sprintf("p%07d", i)
		x.m.Step(x.now, event.Ask{What: command.CreatePlan{Definition: &one}}, x.b)
	}
	x.looks()
	return x
}

// claimAll claims all there is, so many at a time, and returns how much was looked at for
// each execution.
func claimAll(x *bench, worker string, limit int) (claimed int, looks float64) {
	looked := x.counted("offer")
	for {
		var got []*event.Outgoing
		effects := x.step(event.Ask{From: "w", What: command.ClaimWork{WorkerID: worker, Stations: []string{"s"}, Limit: limit}})
		for got = handedOut(effects)["w"]; len(effects) == 0 || len(got) == 0; got = handedOut(effects)["w"] {
			if len(effects) > 0 {
				return claimed, float64(*looked) / float64(max(claimed, 1))
			}
			effects = x.step(event.Tick{})
		}
		claimed += len(got)
	}
}

// TestClaimingIsNotQuadratic checks that the cost of a claim does not depend on the number of
// offers, also when most of them are reserved for other workers.
func TestClaimingIsNotQuadratic(t *testing.T) {
	for _, only := range []string{"", `,"worker_ids":["w","w2"]`} {
		for _, count := range []int{1_000, 20_000} {
			x := crowd(t, count, only)
			if n, _ := claimAll(x, "stranger", 100); only != "" && n > 0 {
				t.Errorf("a stranger got %d", n)
			} else if only == "" {
				x = crowd(t, count, only)
			}
			claimed, looks := claimAll(x, "w", 100)
			if claimed != count || looks > 3 {
				t.Errorf("%d of %d were claimed, with %.1f looks each", claimed, count, looks)
			}
		}
	}
}

// TestARareClaimIsNoStall checks that a claim which matches little of much is a matter of
// many short steps, and finds it.
func TestARareClaimIsNoStall(t *testing.T) {
	const count = 50_000
	x := crowd(t, count, "")
	x.create(`{"plan_id":"rare","station":"s","command":"c","tenant_id":"t","priority":0}`)
	steps, most := 0, 0
	ev := event.Event(event.Ask{From: "w", What: command.ClaimWork{WorkerID: "w", Stations: []string{"s"}, Limit: 1, TenantID: "t"}})
	for {
		looked := x.counted("offer")
		got := handedOut(x.step(ev))["w"]
		most = max(most, *looked)
		if steps++; len(got) > 0 {
			break
		}
		if steps > count {
			t.Fatal("it is looked for, and not found")
		}
		ev = event.Tick{}
	}
	if looks := claiming.SearchSlice / claiming.SearchVisit; most > looks+2 {
		t.Errorf("a step looks at %d offers; %d fill its slice", most, looks)
	}
	if steps < 10 {
		t.Errorf("%d offers were looked at in %d steps", count, steps)
	}
}
