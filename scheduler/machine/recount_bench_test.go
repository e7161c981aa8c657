package machine

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// onCalendar is a machine with plans of which all, or none, name a calendar.
func onCalendar(b *testing.B, plans int, more string) (*Machine, *batch.Batch, time.Time) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m, batch := New(config), batch.New(capacity)
	m.Lead(now, 1, time.Time{})
	ask := func(c command.Command) {
		batch.Reset(batch.Number + 1)
		m.Step(now, event.Ask{From: "user", What: c}, batch)
		batch.Seal()
	}
	ask(putDays("2026-03-02"))
	for i := range plans {
		ask(command.CreatePlan{Definition: parse(b, fmt.Sprintf(
			`{"station":"s%d","plan_id":"p%d","command":"c","plan_type":"cron","cron":"%d 9 * * *","timezone":"Europe/Berlin"%s}`, i%100, i, i%60, more))})
	}
	return m, batch, now
}

func putDays(days ...string) command.PutCalendar {
	c := &schema.Calendar{CalendarID: "c", Revision: 1}
	for _, d := range days {
		c.Days = append(c.Days, schema.CalendarDay{Date: d})
	}
	return command.PutCalendar{Calendar: c}
}

// BenchmarkCalendarChange puts a calendar that a hundred thousand plans name. The longest step
// holds up a plan that is due.
func BenchmarkCalendarChange(b *testing.B) {
	m, batch, now := onCalendar(b, 100_000, `,"exclude":["c"]`)
	longest := time.Duration(0)
	step := func(e event.Event) {
		batch.Reset(batch.Number + 1)
		began := time.Now()
		m.Step(now, e, batch)
		longest = max(longest, time.Since(began))
		batch.Seal()
	}
	for i := 0; b.Loop(); i++ {
		step(event.Ask{From: "user", What: putDays([]string{"2026-03-02", "2026-03-03"}[i%2], "2026-03-02")})
		for len(m.recounts) > 0 {
			step(event.Tick{})
		}
	}
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
}

// BenchmarkCalendarMemory measures the memory that a plan takes more for its calendar.
func BenchmarkCalendarMemory(b *testing.B) {
	const plans = 100_000
	heap := func(more string) float64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		m, _, _ := onCalendar(b, plans, more)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(m)
		return float64(after.HeapAlloc-before.HeapAlloc) / plans
	}
	for b.Loop() {
		without, with := heap(`,"ext":{"a":1}`), heap(`,"exclude":["c"]`)
		b.ReportMetric(with-without, "B/plan-more")
		b.ReportMetric(without, "B/plan-without")
	}
}
