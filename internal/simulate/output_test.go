package simulate_test

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/simulate"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// mixed is a source with workers of all kinds, spreads and failures.
func mixed(t testing.TB) (*simulate.Source, simulate.Options) {
	s := sourceOf(t, []string{`{"station":"pull","kind":"pull","max_concurrency":2}`},
		every(7, "a", `,"plan_repet":-1`), every(5, "b", `,"plan_repet":-1,"overlap":"queue","jitter":3`),
		`{"station":"pull","plan_id":"c","command":"c","plan_type":"second","plan_value":9,"plan_repet":-1}`,
		`{"station":"pull","plan_id":"d","command":"c","plan_type":"minute","plan_value":1,"plan_repet":-1,"overlap":"allow"}`)
	o := options(6*time.Hour, time.Second)
	o.Take.Default = &simulate.Spread{Least: time.Second, Most: 8 * time.Second}
	o.Fail = 0.1
	o.Workers = map[string]int{"s": 1}
	o.Outages = []simulate.Outage{{From: from.Add(time.Hour), Until: from.Add(2 * time.Hour)}}
	return s, o
}

// output is all that a simulation writes.
func output(t *testing.T, s *simulate.Source, o simulate.Options) string {
	t.Helper()
	var out bytes.Buffer
	sink, flush := simulate.CSV(&out)
	r, err := simulate.Run(t.Context(), s, o, sink)
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range []error{flush(), r.WriteJSON(&out), r.WriteText(&out), r.WriteHTML(&out)} {
		if write != nil {
			t.Fatal(write)
		}
	}
	return out.String()
}

func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	s, o := mixed(t)
	first := output(t, s, o)
	for range 3 {
		if second := output(t, s, o); second != first {
			t.Fatal("two runs of one input differ")
		}
	}
	o.Seed = 2
	if output(t, s, o) == first {
		t.Error("another seed changes nothing")
	}
}

func TestTheLimitCuts(t *testing.T) {
	o := options(time.Hour, time.Second)
	o.Limit = 10
	r, lines := run(t, sourceOf(t, nil, every(60, "p", `,"plan_repet":-1`)), o)
	if want := from.Add(10*time.Minute + time.Second); !r.Cut || r.Executions != 10 || len(lines) != 10 || !r.Until.Equal(want) {
		t.Errorf("cut %v, %d executions, until %v; want 10, until %v", r.Cut, r.Executions, r.Until, want)
	}
}

// Executions under way are followed to their end; nothing begins then, not even a retry.
func TestTheEndIsFollowed(t *testing.T) {
	o := options(90*time.Second, time.Minute)
	o.Fail = 1
	r, lines := run(t, sourceOf(t, nil, every(60, "p", `,"plan_repet":-1`)), o)
	wantLines(t, lines, "p 1.1 due 1m0s began 1m0s ended 2m0s error")
	if r.Cut || len(r.Skipped) > 0 {
		t.Errorf("cut %v, skipped %v", r.Cut, r.Skipped)
	}
}

func TestHistoryIsDrawnFrom(t *testing.T) {
	s := sourceOf(t, nil, every(60, "known", `,"plan_repet":50`), every(60, "new", `,"plan_repet":1`))
	o := options(time.Hour, 0)
	o.Take = simulate.Take{ByHistory: true, History: map[schema.PlanName][]time.Duration{
		{Station: "s", PlanID: "known"}: {2 * time.Second, 3 * time.Second},
	}}
	took := map[string]map[time.Duration]bool{"known": {}, "new": {}}
	if _, err := simulate.Run(t.Context(), s, o, func(r *simulate.Result) error {
		took[r.Name.PlanID][r.End.Sub(r.Begin)] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]time.Duration{"known": {2 * time.Second, 3 * time.Second}, "new": {time.Second}} {
		if got := slices.Sorted(maps.Keys(took[name])); !slices.Equal(got, want) {
			t.Errorf("%s took %v, want %v", name, got, want)
		}
	}
}

func TestPlansThatDifferAreCompared(t *testing.T) {
	same := every(60, "same", `,"plan_repet":-1`)
	first, _ := run(t, sourceOf(t, nil, same, every(60, "gone", `,"plan_repet":-1`), every(60, "moved", `,"plan_repet":-1`)), options(time.Hour, time.Second))
	moved := every(60, "moved", `,"plan_repet":-1,"plan_time":"2027-03-27T00:00:30Z"`)
	second, _ := run(t, sourceOf(t, nil, same, moved, every(30, "new", `,"plan_repet":-1`)), options(time.Hour, time.Second))
	first.CompareWith(second)
	var got []string
	for _, d := range first.Compare.Plans {
		got = append(got, d.PlanID+" "+d.Change)
	}
	if want := []string{"gone removed", "moved changed", "new added"}; !slices.Equal(got, want) {
		t.Errorf("plans that differ: %v, want %v", got, want)
	}
}

// The page is one file, which loads nothing and has its three pictures in the colours of the
// screen.
func TestThePageIsOneFile(t *testing.T) {
	s, o := mixed(t)
	r, err := simulate.Run(t.Context(), s, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, title := range []string{"Load by hour", "Busiest minutes", "Plans that meet"} {
		if _, below, is := strings.Cut(text, "<h2>"+title+"</h2>"); !is || !strings.Contains(strings.Split(below, "<h2>")[0], "<rect") {
			t.Errorf("there is no picture %q", title)
		}
	}
	if strings.Count(text, "<svg") != 3 || !strings.Contains(text, "prefers-color-scheme: dark") {
		t.Error("want three pictures, and colours for dark screens")
	}
	for _, loads := range []string{"http:", "https:", "src=", "href=", "url(", "@import", "<script"} {
		if strings.Contains(text, loads) {
			t.Errorf("the page has %s", loads)
		}
	}
}

// A refused plan is named.
func TestARefusedPlanIsNamed(t *testing.T) {
	for _, s := range []*simulate.Source{
		sourceOf(t, nil, `{"station":"s","plan_id":"p","plan_type":"none"}`),
		sourceOf(t, nil, `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"0 0 31 2 *"}`),
	} {
		_, err := simulate.Run(t.Context(), s, options(time.Hour, time.Second), nil)
		if refused, is := err.(*simulate.InputError); !is || refused.What != "plan s/p" {
			t.Errorf("%v, want an error about plan s/p", err)
		}
	}
}

// Memory does not grow with the executions, and is as much after a hundred thousand as after ten.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a hundred thousand executions")
	}
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	s := sourceOf(t, nil, every(6, "a", `,"plan_repet":-1`), every(6, "b", `,"plan_repet":-1,"overlap":"skip"`))
	count, early := 0, uint64(0)
	_, err := simulate.Run(t.Context(), s, options(84*time.Hour, 4*time.Second), func(*simulate.Result) error {
		switch count++; count {
		case 10_000:
			early = used()
		case 100_000:
			if late := used(); late > early+256<<10 {
				t.Errorf("%d bytes after 100,000 executions, %d after 10,000", late, early)
			}
		}
		return nil
	})
	if err != nil || count < 100_000 {
		t.Fatal(count, err)
	}
}

// BenchmarkMillion simulates a million executions.
func BenchmarkMillion(b *testing.B) {
	for b.Loop() {
		s := &simulate.Source{}
		for i := range 100 {
			plan := fmt.Sprintf(`{"station":"s%d","plan_id":"p%d","command":"c","plan_type":"minute","plan_value":1,"plan_repet":-1}`, i%7, i)
			s.Plans = append(s.Plans, sourceOf(b, nil, plan).Plans...)
		}
		r, err := simulate.Run(b.Context(), s, options(10_001*time.Minute, time.Second), nil)
		if err != nil || r.Executions != 1_000_000 {
			b.Fatal(r.Executions, err)
		}
	}
}

// A change is laid over the plans as they stand at the begin, and a pull station that it puts has
// workers.
func TestChangesAreLaidOver(t *testing.T) {
	s := sourceOf(t, nil, every(60, "kept", `,"plan_repet":-1`), every(60, "changed", `,"plan_repet":-1`))
	changes := sourceOf(t, []string{`{"station":"pull","kind":"pull"}`},
		every(60, "changed", `,"plan_repet":2`),
		`{"station":"pull","plan_id":"added","command":"c","plan_type":"second","plan_value":60,"plan_repet":1}`)
	s.Changes, s.StationChanges = changes.Plans, changes.Stations
	r, _ := run(t, s, options(10*time.Minute+time.Second, time.Second))
	got := map[string]int64{}
	for _, p := range r.Plans {
		got[p.PlanID] = p.States[schema.StateOK]
	}
	if want := map[string]int64{"kept": 10, "changed": 2, "added": 1}; !maps.Equal(got, want) {
		t.Errorf("executions %v, want %v", got, want)
	}
}

// A plan with a record goes on from where it stands, also over the time before the begin.
func TestARecordGoesOn(t *testing.T) {
	s := sourceOf(t, nil, every(60, "p", `,"plan_repet":100`))
	record := `{"incarnation":7,"revision":1,"accepted":"2027-03-26T23:00:00Z","occurrence":30,"plan_time":"2027-03-26T23:30:00Z","n":30,"attempt":1,"real_repet":30,"last_state":"ok"}`
	v, err := wire.Scan([]byte(record), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s.Plans[0].Record = v.In(wire.MsgPack)
	s.At = time.Date(2027, 3, 26, 23, 30, 10, 0, time.UTC)
	_, lines := run(t, s, options(61*time.Second, time.Second))
	wantLines(t, lines, "p 60.1 due 0s began 0s ended 1s ok", "p 61.1 due 1m0s began 1m0s ended 1m1s ok")
}

// Skips that are reported together count from the begin on, though the plans were excluded before.
func TestSkipsCountFromTheBegin(t *testing.T) {
	s := sourceOf(t, nil, every(60, "grid", `,"plan_repet":-1,"exclude":["freeze"]`),
		`{"station":"s","plan_id":"cron","command":"c","plan_type":"cron","cron":"*/5 * * * *","exclude":["freeze"]}`)
	s.Calendars = append(s.Calendars, calendarOf(t, `{"calendar_id":"freeze","days":[{"date":"2027-03-20","until":"2027-03-30"}]}`))
	for i := range s.Plans {
		record := `{"incarnation":7,"revision":1,"accepted":"2027-03-26T23:00:00Z","occurrence":1,"plan_time":"2027-03-26T23:01:00Z","n":1,"attempt":1,"real_repet":1,"last_state":"ok"}`
		v, err := wire.Scan([]byte(record), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		s.Plans[i].Record = v.In(wire.MsgPack)
	}
	s.At = time.Date(2027, 3, 26, 23, 30, 10, 0, time.UTC)
	r, _ := run(t, s, options(time.Hour, time.Second))
	got := map[string]int64{}
	for _, p := range r.Plans {
		got[p.PlanID] = p.Skipped[schema.ReasonCalendar]
	}
	if want := map[string]int64{"grid": 60, "cron": 12}; !maps.Equal(got, want) {
		t.Errorf("skipped %v, want %v", got, want)
	}
}
