package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// TestManySlots has as many workers at a plan as it may have, of the largest and of a small one,
// and ends them all at once. Every event fits in an empty batch, and adds no more than it may.
func TestManySlots(t *testing.T) {
	const fields = `"plan_type":"second","plan_value":1,"plan_repet":-1,"overlap":"parallel","worker_count":100,"retry":{"strategy":"none"}`
	n := strings.Repeat("n", schema.MaxName)
	name := schema.PlanName{Station: n, PlanID: n}
	for size, definition := range map[string]string{
		"large": largest(fields),
		"small": fmt.Sprintf(`{"plan_id":%q,"station":%q,"command":"c",%s}`, n, n, fields),
	} {
		begin := func(t *testing.T) (*bench, *state.Plan) {
			x := newBench(t)
			x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: n, Kind: schema.KindPull}}})
			x.create(definition)
			x.now = x.now.Add(5 * time.Second)
			x.looks()
			for i := range schema.MaxWorkerCount {
				worker := fmt.Sprintf("%0*d", schema.MaxName, i)
				x.step(event.Ask{From: "w", What: command.ClaimWork{WorkerID: worker, Stations: []string{n}, Limit: 1}})
				x.looks()
			}
			return x, x.m.part.Plans[name]
		}
		word := func(x *bench, p *state.Plan, state schema.State) event.ReplyReceived {
			o := p.Open[0]
			return event.ReplyReceived{About: about(x.m, p, o.Live[0].N), Reply: schema.Reply{
				State: state, Error: wire.Text(wire.MsgPack, strings.Repeat("\x01", schema.MaxReplyBytes/6-1)),
			}}
		}
		t.Run(size+" used up", func(t *testing.T) {
			x, p := begin(t)
			had, at := len(p.Open), len(p.Open[0].Live)
			if at < 2 || size == "small" && at < state.MaxOpen-had {
				t.Errorf("%d workers are at it", at)
			}
			x.step(word(x, p, schema.StateError))
			if len(p.Open) != had-1 {
				t.Errorf("%d are open, and were %d", len(p.Open), had)
			}
		})
		t.Run(size+" removed", func(t *testing.T) {
			x, _ := begin(t)
			x.step(event.Ask{From: "user", What: command.RemovePlan{Name: name}})
			if len(x.m.part.Plans) != 0 {
				t.Error("it is still there")
			}
		})
		t.Run(size+" cancelled", func(t *testing.T) {
			x, p := begin(t)
			had := len(p.Open)
			x.step(event.Ask{From: "user", What: command.CancelRun{Name: name, N: p.Open[0].Live[0].N}})
			if len(p.Open) != had-1 {
				t.Errorf("%d are open, and were %d", len(p.Open), had)
			}
		})
		t.Run(size+" timed out", func(t *testing.T) {
			x, p := begin(t)
			x.now = x.now.Add(2 * time.Minute)
			x.looks()
			if p.Executing() {
				t.Error("it is still under way")
			}
		})
	}
}
