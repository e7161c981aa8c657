package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/schema"
)

// However many definitions of a name close, some are remembered: a leader looks through them
// whenever another closes.
func TestOfANameSomeDefinitionsAreRemembered(t *testing.T) {
	x := newBench(t)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	const many = 3 * table.ClosedOfName
	definition := func(i int) string {
		return fmt.Sprintf(`{"plan_id":"p","station":"s","command":"c%d","plan_type":"none","on_conflict":"keep"}`, i)
	}
	for i := range many {
		x.now = x.now.Add(time.Millisecond)
		x.create(definition(i))
		x.step(event.ReplyReceived{About: about(x.m, x.m.part.Plans[name], 1), Reply: schema.Reply{State: schema.StateOK}})
	}
	if n := len(x.m.part.Tombstones.Closed[name]); n > table.ClosedOfName {
		t.Errorf("%d definitions of a name are remembered", n)
	}
	for i := many - table.ClosedOfName; i < many; i++ {
		if x.create(definition(i)); x.m.part.Plans[name] != nil {
			t.Fatalf("definition %d of %d is made again", i, many)
		}
	}
	if x.create(definition(0)); x.m.part.Plans[name] == nil {
		t.Error("all are remembered")
	}
}
