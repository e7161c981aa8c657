package machine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestFullCatchUp checks that catch_up full runs everything that was missed, once and in
// order, under all policies for due occurrences, in any number.
func TestFullCatchUp(t *testing.T) {
	const missed = 3 * state.MaxOpen
	for _, overlap := range []string{"skip", "queue", "cancel_prev", "allow", "parallel"} {
		for _, more := range []string{"", `,"max_concurrency":2`, `,"max_concurrency":2,"concurrency":"skip"`, `,"max_concurrency":2,"concurrency":"parallel"`} {
			t.Run(overlap+more, func(t *testing.T) {
				x := newBench(t)
				x.create(fmt.Sprintf(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":%d,"catch_up":"full","overlap":%q%s}`, missed, overlap, more))
				var rows []event.Row
				if err := event.Rows(append([]byte(nil), x.b.Seal()...), func(r event.Row) error { rows = append(rows, r); return nil }); err != nil {
					t.Fatal(err)
				}
				x.follow(rows)
				x.now = x.now.Add((missed + 1) * time.Second)
				x.m.Lead(x.now, 2, time.Time{})
				if ran := x.runLate(x.step(event.Tick{})); ran != missed {
					t.Errorf("%d of %d ran", ran, missed)
				}
			})
		}
	}
}

// runLate answers each execution with ok, and those that follow. It returns how many
// occurrences ran, each of which has to be the next one, and late.
func (x *bench) runLate(effects []event.Effect) (ran int64) {
	x.Helper()
	for effects = slices.Clone(effects); len(effects) > 0; effects = effects[1:] {
		d, ok := effects[0].(event.Dispatch)
		if !ok {
			continue
		}
		ran++
		if d.Execution.Occurrence != ran || d.Execution.MadeBy != schema.TriggerCatchUp {
			x.Fatalf("occurrence %d (%q) runs as number %d", d.Execution.Occurrence, d.Execution.MadeBy, ran)
		}
		effects = append(effects, x.step(event.ReplyReceived{About: aboutOf(d.Execution), Reply: schema.Reply{State: schema.StateOK}})...)
	}
	return ran
}
