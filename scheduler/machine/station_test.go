package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestStationPutReachesEveryPlanAtWork has many plans wait behind their own executions when their
// station is put so that they need not. Each is sent its next occurrence, and no Tick goes
// through more of them than others can wait for, also when it is put again meanwhile.
func TestStationPutReachesEveryPlanAtWork(t *testing.T) {
	const plans = 3*tickSlice + 1
	x := newBench(t)
	put := func(overlap schema.WhenBusy) {
		s := &schema.Station{Station: "s", Policy: schema.Policy{Overlap: overlap}}
		x.step(event.Ask{From: "user", What: command.PutStation{Station: s}})
	}
	put(schema.BusyQueue)
	for i := range plans {
		x.create(fmt.Sprintf(`{"plan_id":"p%04d","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`, i))
	}
	for range 2 {
		x.now = x.now.Add(time.Second)
		x.looks()
	}
	if x.m.part.Executing != plans {
		t.Fatalf("%d executions are under way of %d plans", x.m.part.Executing, plans)
	}
	put(schema.BusyParallel)
	x.step(event.Tick{})
	put(schema.BusyParallel)
	for last := x.m.part.Executing; x.m.part.Executing < 2*plans; last = x.m.part.Executing {
		if wake := x.m.Wake(); wake.IsZero() || wake.After(x.now) {
			t.Fatalf("%d plans were not looked at", 2*plans-x.m.part.Executing)
		}
		if x.step(event.Tick{}); x.m.part.Executing-last > tickSlice {
			t.Fatalf("a Tick has sent %d executions", x.m.part.Executing-last)
		}
	}
	x.looks()
	if x.m.part.Executing != 2*plans {
		t.Errorf("%d executions are under way of %d plans with two each", x.m.part.Executing, plans)
	}
}
