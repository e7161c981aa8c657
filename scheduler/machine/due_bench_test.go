package machine

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// BenchmarkDue looks at a million plans for what falls due in a week, and for the plans of an hour. A
// whole walk is one operation; the longest query is the time that an execution may have to wait for.
func BenchmarkDue(b *testing.B) {
	const plans = 1_000_000
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := New(config)
	m.Lead(now, 1, time.Time{})
	batch := batch.New(capacity)
	step := func(now time.Time, c command.Command) (longest time.Duration) {
		batch.Seal()
		batch.Reset(batch.Number + 1)
		began := time.Now()
		m.Step(now, event.Ask{From: "user", What: c}, batch)
		return time.Since(began)
	}
	step(now, command.PutCalendar{Calendar: &schema.Calendar{CalendarID: "free", Days: []schema.CalendarDay{{Weekday: "sun"}, {Date: "2026-03-03"}}}})
	for i := range plans {
		schedule := fmt.Sprintf(`"plan_type":"cron","cron":"%d %d * * *","timezone":"Europe/Berlin"`, i%60, i/7%24)
		switch i % 20 {
		case 1, 3, 5, 7:
			schedule = `"plan_type":"hour","plan_value":1,"plan_repet":-1`
		case 9:
			schedule += `,"exclude":["free"],"excluded":"next"`
		}
		plan := fmt.Sprintf(`{"station":"s%d","plan_id":"p%d","command":"c",%s}`, i%100, i, schedule)
		step(now.Add(time.Duration(i)*time.Millisecond/100), command.CreatePlan{Definition: parse(b, plan)})
	}
	now = now.Add(time.Minute)
	for name, span := range map[string]command.DueSpan{
		"week":   {From: now.Unix(), Until: now.AddDate(0, 0, 7).Unix()},
		"sample": {From: now.Unix(), Until: now.AddDate(0, 0, 7).Unix(), Most: plans / 50},
		"hour":   {From: now.Add(time.Hour).Unix(), Until: now.Add(2 * time.Hour).Unix(), Each: true},
	} {
		b.Run(name, func(b *testing.B) {
			var longest time.Duration
			var counted int64
			groups, queries := 0, 0
			for b.Loop() {
				counted, groups = 0, 0
				query := command.ListPlans{Limit: 1000, Span: span}
				for more := true; more; queries++ {
					longest = max(longest, step(now, query))
					slice := batch.Effects[0].(event.Answer).Body.(command.PlanSlice)
					query.After, query.Due, query.Span.Every, more = slice.Last, slice.Due, slice.Every, slice.More
					counted, groups = counted+slice.Count, groups+len(slice.Groups)
				}
			}
			if want := cmp.Or(span.Most, plans); counted != want {
				b.Fatalf("%d plans were looked at; want %d", counted, want)
			}
			b.ReportMetric(float64(longest.Microseconds()), "µs-longest")
			b.ReportMetric(float64(queries)/float64(b.N), "queries/op")
			b.ReportMetric(float64(groups), "groups")
		})
	}
}
