package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A preview shows the time in the plan's zone, and clock changes there.
func TestPreviewExplainsClocks(t *testing.T) {
	for _, c := range []struct{ zone, times, want string }{
		{
			"Europe/Berlin", "2027-03-27T01:30:00Z 2027-03-28T01:00:00Z 2027-03-29T00:30:00Z", `
1  Sat 2027-03-27 02:30:00 CET   2027-03-27T01:30:00Z
2  Sun 2027-03-28 03:00:00 CEST  2027-03-28T01:00:00Z  the clocks go forward: 02:00 to 03:00 does not exist on that day
3  Mon 2027-03-29 02:30:00 CEST  2027-03-29T00:30:00Z`,
		},
		{
			"Europe/Berlin", "2027-10-30T00:30:00Z 2027-10-31T00:30:00Z 2027-10-31T01:30:00Z 2027-11-01T01:30:00Z", `
1  Sat 2027-10-30 02:30:00 CEST  2027-10-30T00:30:00Z
2  Sun 2027-10-31 02:30:00 CEST  2027-10-31T00:30:00Z  the clocks go back: 02:30 exists twice on that day, and this is the first
3  Sun 2027-10-31 02:30:00 CET   2027-10-31T01:30:00Z  the clocks have gone back: 02:30 exists twice on that day, and this is the second
4  Mon 2027-11-01 02:30:00 CET   2027-11-01T01:30:00Z`,
		},
		{
			"America/New_York", "2027-03-13T14:00:00Z 2027-03-14T13:00:00Z", `
1  Sat 2027-03-13 09:00:00 EST  2027-03-13T14:00:00Z
2  Sun 2027-03-14 09:00:00 EDT  2027-03-14T13:00:00Z  the clocks have changed from -05:00 to -04:00`,
		},
		{
			"Australia/Lord_Howe", "2027-10-02T15:30:00Z", `
1  Sun 2027-10-03 02:30:00 +11  2027-10-02T15:30:00Z  the clocks go forward: 02:00 to 02:30 does not exist on that day`,
		},
		{
			"UTC", "2027-01-01T00:00:00.5Z", `
1  Fri 2027-01-01 00:00:00 UTC  2027-01-01T00:00:00.5Z`,
		},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		var all []schema.PreviewedOccurrence
		for i, text := range strings.Fields(c.times) {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, schema.PreviewedOccurrence{Occurrence: int64(i + 1), PlanTime: at})
		}
		var out strings.Builder
		if err := writePreview(&out, all, zone); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(out.String()); got != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.zone, got, c.want)
		}
	}
}

// A schedule is described in words.
func TestScheduleText(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	nine := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for want, p := range map[string]schema.Plan{
		"once":                             {Schedule: schema.Schedule{PlanType: schema.TypeNone}},
		"*/5 * * * *":                      {Schedule: schema.Schedule{PlanType: schema.TypeCron, Cron: "*/5 * * * *"}},
		"0 9 * * * Europe/Berlin, 3 times": {Schedule: schema.Schedule{PlanType: schema.TypeCron, Cron: "0 9 * * *", Timezone: "Europe/Berlin", PlanRepet: n(3)}},
		"every 1 minute, 1 time":           {Schedule: schema.Schedule{PlanType: schema.TypeMinute, PlanValue: n(1), PlanRepet: n(1)}},
		"every 5 seconds":                  {Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: n(5), PlanRepet: n(-1)}},
		"one after the other, 9 times":     {Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: n(0), PlanRepet: n(9)}},
		"each Sunday at 00:00:00":          {Schedule: schema.Schedule{PlanType: schema.TypeWeek, PlanValue: n(0), PlanRepet: n(-1)}},
		"day 5 of each month at 10:00:00 Europe/Berlin":    {Schedule: schema.Schedule{PlanType: schema.TypeMonth, PlanValue: n(5), PlanTime: nine, Timezone: "Europe/Berlin", PlanRepet: n(-1)}},
		"the last day of each month at 09:00:00":           {Schedule: schema.Schedule{PlanType: schema.TypeMonth, PlanValue: n(0), PlanTime: nine, PlanRepet: n(-1)}},
		"2 days before the last of each month at 09:00:00": {Schedule: schema.Schedule{PlanType: schema.TypeMonth, PlanValue: n(-2), PlanTime: nine, PlanRepet: n(-1)}},
	} {
		if got := scheduleText(&p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
