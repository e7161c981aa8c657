package machine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// BenchmarkExplain explains plans of a million, and reads the data of their coming occurrences.
// An operation is the part that holds up all others of a leader.
func BenchmarkExplain(b *testing.B) {
	const plans = 1_000_000
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := New(config)
	m.Lead(now, 1, time.Time{})
	batch := batch.New(capacity)
	for i := range plans {
		batch.Reset(uint64(i + 1))
		plan := fmt.Sprintf(`{"station":"s%d","plan_id":"p%d","command":"c","plan_type":"cron","cron":"0 9 * * *","timezone":"Europe/Berlin"}`, i%100, i)
		m.Step(now, event.Ask{From: "user", What: command.CreatePlan{Definition: parse(b, plan)}}, batch)
		batch.Seal()
	}
	explain := func(q command.ExplainPlan) func(name schema.PlanName) command.Command {
		return func(name schema.PlanName) command.Command {
			q.Name = name
			return q
		}
	}
	for name, ask := range map[string]func(name schema.PlanName) command.Command{
		"next": explain(command.ExplainPlan{}), "occurrence": explain(command.ExplainPlan{Occurrence: 40}),
		"never": explain(command.ExplainPlan{Occurrence: 1 << 50}),
		"at":    explain(command.ExplainPlan{At: now.AddDate(0, 3, 0)}), "far": explain(command.ExplainPlan{At: now.AddDate(19, 0, 0)}),
		"upcoming": func(name schema.PlanName) command.Command {
			return command.ListPlans{
				Filter: schema.ListPlans{Station: name.Station}, IDs: command.IDRange{From: name.PlanID, To: name.PlanID + "-"},
				Limit: 1, Records: true,
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				n := i * 7919 % plans
				of := schema.PlanName{Station: fmt.Sprintf("s%d", n%100), PlanID: fmt.Sprintf("p%d", n)}
				batch.Reset(batch.Number + 1)
				began := time.Now()
				m.Step(now, event.Ask{From: "user", What: ask(of)}, batch)
				took = append(took, time.Since(began))
				if batch.Effects[0].(event.Answer).Err != nil {
					b.Fatal(batch.Effects[0])
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "µs-p99")
		})
	}
}
