package manifest_test

import (
	"errors"
	"testing"

	"github.com/stationmaster-io/stationmaster/client/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What has one occurrence, and has had it, is gone, and nothing that a file asks for again.
func TestWhatRanOnceIsNotRunAgain(t *testing.T) {
	c := start(t)
	const station = "stations: [{station: once, kind: pub}]\n"
	s := read(t, station+`plans:
  - {station: once, plan_id: migrate, command: up, messages: [{to: 7}]}
  - {station: once, plan_id: past, command: c, plan_type: time, plan_time: "2026-01-01T00:00:00Z"}
`)
	apply(t, c, s, manifest.Options{})
	for closed := false; !closed; {
		_, err := c.Get(t.Context(), schema.PlanName{Station: "once", PlanID: "migrate"})
		closed = errors.Is(err, &schema.Error{Code: schema.CodeNotFound})
	}
	if shown := apply(t, c, s, manifest.Options{}); len(shown) > 0 {
		t.Errorf("again: %v", shown)
	}
	other := read(t, station+"plans:\n  - {station: once, plan_id: migrate, command: up, messages: [{to: 8}]}\n")
	if shown := apply(t, c, other, manifest.Options{}); len(shown) != 1 || shown[0] != "+ create plan once/migrate" {
		t.Errorf("with another message: %v", shown)
	}
}

// A plan of type time that ran is another one at another time, whatever else is the same.
func TestWhatRanOnceRunsAtAnotherTime(t *testing.T) {
	c := start(t)
	at := func(when string) *manifest.Set {
		return read(t, "stations: [{station: once, kind: pub}]\nplans:\n"+
			"  - {station: once, plan_id: launch, command: go, plan_type: time, no_keep: true, plan_time: \""+when+"\"}\n")
	}
	apply(t, c, at("2026-01-01T00:00:00Z"), manifest.Options{})
	for closed := false; !closed; {
		_, err := c.Get(t.Context(), schema.PlanName{Station: "once", PlanID: "launch"})
		closed = errors.Is(err, &schema.Error{Code: schema.CodeNotFound})
	}
	for _, tt := range []struct {
		when string
		want int
	}{
		{"2026-01-01T00:00:00Z", 0},
		{"2026-01-02T00:00:00Z", 1}, // no_keep: it runs, though that has passed
		{"2100-01-01T00:00:00Z", 1},
	} {
		if _, shown := diff(t, c, at(tt.when), manifest.Options{}); len(shown) != tt.want {
			t.Errorf("at %s: %v", tt.when, shown)
		}
	}
}
