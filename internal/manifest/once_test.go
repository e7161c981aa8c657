package manifest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
)

// A plan with one occurrence that has run is gone, and a file does not ask for it again.
func TestAPlanThatRanOnceIsNotRunAgain(t *testing.T) {
	c := start(t)
	const station = "stations: [{station: once, kind: pub}]\n"
	s := read(t, station+`plans:
  - {station: once, plan_id: migrate, command: up, messages: [{to: 7}]}
  - {station: once, plan_id: past, command: c, plan_type: time, plan_time: "2026-01-01T00:00:00Z"}
`)
	apply(t, c, s, manifest.Options{})
	for closed := false; !closed; {
		_, err := c.Plan("once", "migrate").Get(t.Context())
		closed = errors.Is(err, client.ErrNotFound)
	}
	if shown := apply(t, c, s, manifest.Options{}); len(shown) > 0 {
		t.Errorf("again: %v", shown)
	}
	other := read(t, station+"plans:\n  - {station: once, plan_id: migrate, command: up, messages: [{to: 8}]}\n")
	if shown := apply(t, c, other, manifest.Options{}); len(shown) != 1 || shown[0] != "+ create plan once/migrate" {
		t.Errorf("with another message: %v", shown)
	}
}

// A plan of type time that ran is another one at another time, even if all else is the
// same.
func TestAPlanThatRanOnceRunsAtAnotherTime(t *testing.T) {
	c := start(t)
	at := func(when string) *manifest.Set {
		return read(t, "stations: [{station: once, kind: pub}]\nplans:\n"+
			"  - {station: once, plan_id: launch, command: go, plan_type: time, no_keep: true, plan_time: \""+when+"\"}\n")
	}
	apply(t, c, at("2026-01-01T00:00:00Z"), manifest.Options{})
	for closed := false; !closed; {
		_, err := c.Plan("once", "launch").Get(t.Context())
		closed = errors.Is(err, client.ErrNotFound)
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

// await waits until plans of station once have closed.
func await(t *testing.T, c *client.Client, ids ...string) {
	t.Helper()
	for _, id := range ids {
		for closed := false; !closed; {
			_, err := c.Plan("once", id).Get(t.Context())
			closed = errors.Is(err, client.ErrNotFound)
		}
	}
}

// A plan that came to its end by itself is made again only when a file changes it.
func TestAnEndedPlanIsNotMadeAgain(t *testing.T) {
	c := start(t)
	const station = "stations: [{station: once, kind: pub}]\nplans:\n  - "
	soon := time.Now().Add(2500 * time.Millisecond).UTC().Format(time.RFC3339Nano)
	fin := `{station: once, plan_id: fin, command: c, messages: [1], plan_type: second, plan_value: 0, plan_repet: 2}`
	cron := `{station: once, plan_id: cron, command: c, plan_type: cron, cron: "* * * * * *", plan_repet: 1}`
	until := `{station: once, plan_id: until, command: c, plan_type: second, plan_value: 1, plan_repet: -1, end_at: "` + soon + `"}`
	early := `{station: once, plan_id: early, command: c, plan_type: second, plan_value: 0, plan_repet: 5, paused: true}`
	apply(t, c, read(t, station+strings.Join([]string{fin, cron, until, early}, "\n  - ")), manifest.Options{})
	if _, err := c.Plan("once", "early").Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, c, "fin", "cron", "until")
	with := func(text, old, new string) string { return strings.Replace(text, old, new, 1) }
	for _, tt := range []struct{ plan, want string }{
		{fin, "= plan once/fin has run"},
		{with(fin, "plan_repet: 2", "plan_repet: 3"), "+ create plan once/fin"},
		{with(fin, "[1]", "[2]"), "+ create plan once/fin"},
		{with(fin, "plan_repet: 2", `plan_repet: 2, start_at: "2100-01-01T00:00:00Z"`), "+ create plan once/fin"},
		{cron, "= plan once/cron has run"},
		{with(cron, "* * * * * *", "0 0 29 2 *"), "+ create plan once/cron"},
		{until, "= plan once/until has run"},
		{with(until, soon, "2100-01-01T00:00:00Z"), "+ create plan once/until"},
		{with(with(until, "plan_id: until", "plan_id: never"), soon, "2026-01-01T00:00:00Z"), "= plan once/never is over: its end_at has passed"},
		{early, "+ create plan once/early"},
	} {
		var reported []string
		_, shown := diff(t, c, read(t, station+tt.plan), manifest.Options{Same: func(line string) { reported = append(reported, line) }})
		if got := append(reported, shown...); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %q, want %q", tt.plan, got, tt.want)
		}
	}
}

// A plan that ends and keeps no results leaves no proof of its end, so it is noted by line.
func TestPlansThatEndAndKeepNoResults(t *testing.T) {
	c := start(t)
	var reported []string
	diff(t, c, read(t, `plans:
  - {station: once, plan_id: a, command: c, log: none}
  - {station: once, plan_id: b, command: c, plan_type: second, plan_value: 9, plan_repet: 2, log: none}
  - {station: once, plan_id: c, command: c, plan_type: time, plan_time: "2100-01-01T00:00:00Z", log: none}
  - {station: once, plan_id: d, command: c, plan_type: second, plan_value: 9, plan_repet: -1, log: none}
  - {station: once, plan_id: e, command: c, log: trigger}
`), manifest.Options{Note: func(line string) { reported = append(reported, line) }})
	if len(reported) != 2 || !strings.HasPrefix(reported[0], "f.yaml:2: plan once/a: log: none keeps no results") || !strings.HasPrefix(reported[1], "f.yaml:3: plan once/b: ") {
		t.Errorf("%q", reported)
	}
}
