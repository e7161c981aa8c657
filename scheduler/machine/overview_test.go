package machine

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The overview has the plans that stand still, the stations without a worker, and the next plans
// that are due.
func TestTheOverviewHasTrouble(t *testing.T) {
	x := newBench(t)
	out := x.dispatched(`{"plan_id":"stops","station":"s","command":"c","plan_type":"none"}`)
	about := schema.ReplyName{Station: "s", PlanID: "stops", N: out.N, Nonce: string(out.Nonce.AppendHex(nil))}
	x.step(event.ReplyReceived{From: "worker", About: about, Reply: schema.Reply{State: schema.StateFailure}})
	out = x.dispatched(`{"plan_id":"waits","station":"lonely","command":"c","plan_type":"none"}`)
	x.step(event.NoResponders{About: schema.ReplyName{Station: "lonely", PlanID: "waits", N: out.N, Nonce: string(out.Nonce.AppendHex(nil))}})
	for _, plan := range []string{
		`{"plan_id":"later","station":"s","command":"c","plan_type":"hour","plan_value":2,"plan_repet":-1}`,
		`{"plan_id":"sooner","station":"s","command":"c","plan_type":"hour","plan_value":1,"plan_repet":-1,"start_at":"2026-03-01T12:30:00Z"}`,
	} {
		x.create(plan)
	}
	o := x.last(x.step(event.Ask{From: "user", What: command.ReadCounters{}})).(event.Answer).Body.(command.Counters).Overview
	trouble := map[schema.TroubleKind]schema.Trouble{}
	for _, one := range o.Trouble {
		trouble[one.Kind] = one
	}
	if len(o.Trouble) != 2 || trouble[schema.TroubleStopped].PlanID != "stops" || trouble[schema.TroubleNoWorker].Station != "lonely" ||
		trouble[schema.TroubleNoWorker].Count != 1 || trouble[schema.TroubleNoWorker].Since.IsZero() {
		t.Errorf("trouble: %+v", o.Trouble)
	}
	if len(o.NextDue) != 2 || o.NextDue[1].PlanTime.Before(o.NextDue[0].PlanTime) {
		t.Errorf("due next: %+v", o.NextDue)
	}
	if o.Plans.Total != 4 || o.Plans.ByStatus[schema.StatusPlanError] != 1 || o.Executions.UnderWay != x.m.UnderWay() || o.Results["1h"].States[schema.StateFailure] != 1 {
		t.Errorf("the overview is %+v", o)
	}
}

// A plan that has been due for a second without a look is overdue.
func TestAPlanWithoutALookIsOverdue(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"hour","plan_value":1,"plan_repet":-1,"start_at":"2026-03-01T12:30:00Z"}`)
	due := x.m.Wake()
	for after, want := range map[time.Duration]int{time.Second - time.Millisecond: 0, time.Second: 1} {
		x.now = due.Add(after)
		o := x.last(x.step(event.Ask{From: "user", What: command.ReadCounters{}})).(event.Answer).Body.(command.Counters).Overview
		if len(o.Trouble) != want {
			t.Fatalf("%v after it was due: %+v", after, o.Trouble)
		}
		if want == 1 && (o.Trouble[0].Kind != schema.TroubleOverdue || o.Trouble[0].PlanID != "p" || !o.Trouble[0].Since.Equal(due) || o.Trouble[0].Count != 1) {
			t.Errorf("trouble: %+v", o.Trouble)
		}
	}
}
