package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// BenchmarkExecution runs 10,000 plans each second: they fall due, are sent, and are answered with ok.
// An operation is one execution. What it decides goes into batches as full as those of a leader with
// much to do.
func BenchmarkExecution(b *testing.B) {
	const plans, inBatch = 10_000, 256
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m, batch := New(config), batch.New(capacity)
	m.Lead(now, 1, time.Time{})
	batch.Reset(1)
	var rows, executions int
	var dispatched []event.ReplyReceived
	step := func(ev event.Event) {
		if done := m.Step(now, ev, batch); done != Done {
			b.Fatalf("%T: %v", ev, done)
		}
	}
	perform := func() {
		rows += len(batch.Seal())
		for _, e := range batch.Effects {
			d, is := e.(event.Dispatch)
			if !is {
				continue
			}
			if left, report := d.Execution.Leave(now); report {
				defer step(left)
			}
			dispatched = append(dispatched, event.ReplyReceived{About: aboutOf(d.Execution), Reply: schema.Reply{State: schema.StateOK}})
		}
		batch.Reset(batch.Number + 1)
	}
	for i := range plans {
		plan := fmt.Sprintf(`{"station":"s%d","plan_id":"p%d","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`, i%100, i)
		step(event.Ask{From: "user", What: command.CreatePlan{Definition: parse(b, plan)}})
		perform()
	}
	b.ReportAllocs()
	rows = 0
	for b.ResetTimer(); executions < b.N; {
		now = now.Add(time.Second)
		for wake := m.Wake(); !wake.IsZero() && !wake.After(now); wake = m.Wake() {
			m.Step(now, event.Tick{}, batch)
			perform()
		}
		replies := dispatched
		if dispatched = nil; len(replies) != plans {
			b.Fatalf("%d executions were sent in a second; want %d", len(replies), plans)
		}
		for i, reply := range replies {
			step(reply)
			if i%inBatch == inBatch-1 {
				perform()
			}
		}
		perform()
		executions += len(replies)
	}
	b.ReportMetric(float64(rows)/float64(executions), "row-B/op")
}
