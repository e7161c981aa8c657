package main

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

func TestCausesAsText(t *testing.T) {
	at := time.Date(2026, 11, 24, 8, 55, 0, 0, time.UTC)
	partition := int64(2)
	asked := schema.Attribution{By: "ada@pc", Note: "db migration"}
	for _, tt := range []struct {
		reason schema.Reason
		b      *schema.Because
		want   string
	}{
		{schema.ReasonOverlap, nil, ""},
		{schema.ReasonOverlap, &schema.Because{}, ""},
		{schema.ReasonOverlap, &schema.Because{Occurrence: 41, N: 57, State: "running", WorkerID: "w3", Since: at},
			"occurrence 41 was running at w3 since 2026-11-24 08:55:00.000 UTC"},
		{schema.ReasonOverlap, &schema.Because{Occurrence: 43}, "occurrence 43 was in the way"},
		{schema.ReasonPast, &schema.Because{N: 7, State: "dispatched"}, "the run 7 by a trigger was dispatched"},
		{schema.ReasonPast, &schema.Because{Accepted: at}, "the plan was accepted at 2026-11-24 08:55:00.000 UTC, after that time"},
		{schema.ReasonConcurrency, &schema.Because{Occurrence: 4, UnderWay: 2, Limit: 2}, "2 of 2 were under way"},
		{schema.ReasonConcurrency, &schema.Because{Station: "mail", UnderWay: 50, Limit: 50}, "50 of 50 were under way at station mail"},
		{schema.ReasonMissed, &schema.Because{From: at, Until: at.Add(time.Hour), Partition: &partition},
			"no scheduler led partition 2 from 2026-11-24 08:55:00.000 UTC until 2026-11-24 09:55:00.000 UTC"},
		{schema.ReasonPaused, &schema.Because{Since: at, Attribution: asked}, "paused since 2026-11-24 08:55:00.000 UTC by ada@pc: db migration"},
		{schema.ReasonManual, &schema.Because{Verb: "skip", Attribution: asked}, "skip by ada@pc: db migration"},
		{schema.ReasonManual, &schema.Because{Verb: "remove"}, "remove"},
		{schema.ReasonCalendar, &schema.Because{Calendar: "de", Day: "2026-12-25", Name: "Christmas"}, "calendar de, 2026-12-25, Christmas"},
		{schema.ReasonCalendar, &schema.Because{Calendar: "de", Day: "2026-12-25"}, "calendar de, 2026-12-25"},
		{schema.ReasonCalendar, &schema.Because{Calendar: "freeze", Window: "22:00-06:00"}, "calendar freeze, window 22:00-06:00"},
		{schema.ReasonCalendar, &schema.Because{Calendar: "trading", Only: true}, "not in calendar trading"},
	} {
		if got := becauseText(tt.reason, tt.b); got != tt.want {
			t.Errorf("%s %+v: %q, want %q", tt.reason, tt.b, got, tt.want)
		}
	}
	for _, w := range schema.Words("waits") {
		if waitNouns[schema.WaitFor(w)] == "" {
			t.Errorf("%s has no text", w)
		}
	}
	wait := &schema.Waits{For: schema.WaitRetry, Occurrence: 5, Since: at, Next: at.Add(time.Minute), Tries: 2}
	if got, want := waitsText(wait), "for its retry, occurrence 5, since 2026-11-24 08:55:00.000 UTC, 2 attempts so far, next at 2026-11-24 08:56:00.000 UTC"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := whyEnglish.lateText(&schema.Late{Room: 1.5, Absent: 2}), "1.5 s room, 2 s absent"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
