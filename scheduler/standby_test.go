package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A standby knows what its leader decided last, and takes requests meanwhile.
func TestAStandbyGoesOnWhereItsLeaderStopped(t *testing.T) {
	ns := brokertest.Server(t)
	first, second := start(t, ns), start(t, ns)
	at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	for i := range 20 {
		// Through one and the other by turns: whoever does not lead asks.
		b := []*bed{first, second}[i%2]
		b.create(fmt.Sprintf(`{"station":"s","plan_id":"p%02d","command":"c","plan_type":"time","plan_time":%q}`, i, at))
	}
	name := schema.PlanName{Station: "s", PlanID: "p00"}
	if _, err := second.ask(schema.RemovePlan{Name: name}); err != nil {
		t.Fatal(err)
	}
	first.end()
	body, err := second.ask(schema.LookPlans{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	slice := body.(schema.PlanSlice)
	if len(slice.Plans) != 19 || slice.More {
		t.Errorf("%d plans after the take-over, more: %v", len(slice.Plans), slice.More)
	}
	if _, err := second.ask(schema.GetPlan{Name: name}); err == nil {
		t.Error("a removed plan is back")
	}
	second.create(`{"station":"s","plan_id":"new","command":"c","plan_type":"none"}`)
}
