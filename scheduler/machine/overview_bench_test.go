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

// BenchmarkOverview shows the counters of a million plans, and one of them that stands still. An
// operation is the part that holds up all others of a leader.
func BenchmarkOverview(b *testing.B) {
	const plans = 1_000_000
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := New(config)
	m.Lead(now, 1, time.Time{})
	batch := batch.New(capacity)
	for i := range plans {
		batch.Reset(uint64(i + 1))
		plan := fmt.Sprintf(`{"station":"s%d","plan_id":"p%d","command":"c","plan_type":"cron","cron":"%d %d * * *","timezone":"Europe/Berlin"}`, i%100, i, i%60, i%24)
		m.Step(now, event.Ask{From: "user", What: command.CreatePlan{Definition: parse(b, plan)}}, batch)
		batch.Seal()
	}
	for name, q := range map[string]command.Command{
		"overview": command.ReadCounters{}, "series": command.ReadCounters{Step: 3600, Points: 168}, "station": command.ListStations{Used: true, Station: "s7"},
		"stations": command.ListStations{Used: true, Limit: 100},
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				batch.Reset(batch.Number + 1)
				began := time.Now()
				m.Step(now, event.Ask{From: "user", What: q}, batch)
				took = append(took, time.Since(began))
				if batch.Effects[0].(event.Answer).Err != nil {
					b.Fatal(batch.Effects[0])
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
		})
	}
	if all, _ := m.Stats(); all != plans || m.Counts().Total() != plans || m.Counts().Plans.ByType()[schema.TypeCron] != plans {
		b.Errorf("%d plans count as %v", all, m.Counts().Plans)
	}
}
