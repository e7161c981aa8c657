package calendar_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// FuzzCron gives Compile arbitrary expressions. It must refuse them with a *schema.Error or
// make a schedule whose times only grow.
func FuzzCron(f *testing.F) {
	for i, expression := range []string{
		"* * * * *", "*/5 0-23/2 1,L-3,LW * FRI-MON", "0 0 29 2 ?", "0 0 ? 2 7#5", "1 2 3 4 5L", "15W * * * *",
		"@every 1h30m", "@every 2562047h", "@daily", "9999999999 - / # L W ,", "\x00 \xff ı * * *",
	} {
		f.Add(expression, uint8(i), int64(i)*1e9)
	}
	for i, v := range vectors(f, "plan_times.json") {
		if v.Plan.PlanType == schema.TypeCron {
			f.Add(v.Plan.Cron, uint8(i), v.Now.Unix())
		}
	}
	f.Fuzz(func(t *testing.T, expression string, zone uint8, accepted int64) {
		at := time.Unix(accepted, 0).UTC()
		s, err := calendar.Compile(cron(expression, oddZones[int(zone)%len(oddZones)]), at)
		if err != nil {
			if refused := new(schema.Error); !errors.As(err, &refused) || refused.Field == "" {
				t.Fatalf("%q: %v", expression, err)
			}
			return
		}
		prev := calendar.Due{At: at}
		for range 5 {
			due, ok := s.Next(prev, time.Time{})
			if !ok {
				return
			}
			if due.K != prev.K+1 || !due.At.After(prev.At) {
				t.Fatalf("%q: %+v follows %+v", expression, due, prev)
			}
			if n, last := s.Passed(calendar.Due{}, due.At.Add(1)); n != due.K || last != due {
				t.Fatalf("%q: passed %d, %+v; want up to %+v", expression, n, last, due)
			}
			prev = due
		}
	})
}
