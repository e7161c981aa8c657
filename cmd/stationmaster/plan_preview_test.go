package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Due times are shown as the scheduler computed them, with its notes, and also if it is of an
// earlier release, which computes the moments alone.
func TestComingOccurrencesAreShownInTheirZone(t *testing.T) {
	notes := []schema.Note{{Kind: schema.NoteGap, Text: "02:30 does not exist"}, {Kind: schema.NoteJitter, Text: "begins later"}}
	for _, c := range []struct {
		name, zone string
		answer     schema.Previewed
		want       string
	}{
		{
			"all", "Europe/Berlin", schema.Previewed{
				Words: "At 02:30, every day, in Europe/Berlin",
				Occurrences: []schema.PreviewedOccurrence{
					{Occurrence: 1, PlanTime: momentOf("2027-03-27T01:30:00Z"), Local: "2027-03-27T02:30:00+01:00", Offset: "+01:00", Skipped: true, Reason: schema.ReasonManual},
					{Occurrence: 2, PlanTime: momentOf("2027-03-28T01:00:00Z"), Local: "2027-03-28T03:00:00+02:00", Offset: "+02:00", Notes: notes},
				},
			}, `
At 02:30, every day, in Europe/Berlin
1  Sat 2027-03-27 02:30:00 CET   2027-03-27T01:30:00Z  skipped (manual)
2  Sun 2027-03-28 03:00:00 CEST  2027-03-28T01:00:00Z  02:30 does not exist; begins later`,
		},
		{
			"a zone that this machine has not", "Mars/Olympus", schema.Previewed{Occurrences: []schema.PreviewedOccurrence{
				{Occurrence: 1, PlanTime: momentOf("2027-03-27T01:30:00Z"), Local: "2027-03-27T02:30:00+01:00", Offset: "+01:00"},
			}}, `
1  Sat 2027-03-27 02:30:00 +01:00  2027-03-27T01:30:00Z`,
		},
		{
			"an earlier release", "Europe/Berlin", schema.Previewed{Occurrences: []schema.PreviewedOccurrence{
				{Occurrence: 1, PlanTime: momentOf("2027-03-27T01:30:00.5Z")},
			}}, `
1  Sat 2027-03-27 02:30:00 CET  2027-03-27T01:30:00.5Z`,
		},
	} {
		var out strings.Builder
		if err := writeComing(&out, &c.answer, c.zone); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(out.String()); got != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func momentOf(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
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
