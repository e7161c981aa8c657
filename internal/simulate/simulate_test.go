package simulate_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/simulate"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var from = time.Date(2027, 3, 27, 0, 0, 0, 0, time.UTC)

// sourceOf is a source of stations and plans in JSON; a plan has a command.
func sourceOf(t testing.TB, stations []string, plans ...string) *simulate.Source {
	t.Helper()
	s := &simulate.Source{}
	scan := func(text string) wire.Value {
		v, err := wire.Scan([]byte(text), wire.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return v
	}
	for _, text := range stations {
		station, err := schema.ParseStation(scan(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		s.Stations = append(s.Stations, station)
	}
	for _, text := range plans {
		d, err := schema.ParsePlan(scan(text), schema.ParseOptions{NoCommand: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		s.Plans = append(s.Plans, simulate.Plan{Definition: d})
	}
	return s
}

// every is a plan that is due every so many seconds, with more members.
func every(seconds int, name, more string) string {
	return fmt.Sprintf(`{"station":"s","plan_id":%q,"command":"c","plan_type":"second","plan_value":%d%s}`, name, seconds, more)
}

// exactly is the same duration for all.
func exactly(d time.Duration) simulate.Take {
	return simulate.Take{Default: &simulate.Spread{Least: d, Most: d}}
}

func options(span time.Duration, take time.Duration) simulate.Options {
	return simulate.Options{From: from, Until: from.Add(span), Seed: 1, Take: exactly(take)}
}

// run simulates, and returns the report and the results, one in a line.
func run(t testing.TB, s *simulate.Source, o simulate.Options) (*simulate.Report, []string) {
	t.Helper()
	var lines []string
	r, err := simulate.Run(t.Context(), s, o, func(r *simulate.Result) error {
		line := fmt.Sprintf("%s %d.%d due %s", r.Name.PlanID, r.Occurrence, r.Attempt, r.PlanTime.Sub(from))
		if !r.Begin.IsZero() {
			line += fmt.Sprintf(" began %s", r.Begin.Sub(from))
		}
		line += fmt.Sprintf(" ended %s %s", r.End.Sub(from), r.State)
		if r.Reason != "" {
			line += fmt.Sprintf(" %s %d", r.Reason, r.Count)
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, lines
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestPoliciesDecideAsInTheMachine(t *testing.T) {
	s := sourceOf(t, nil,
		every(3, "skips", `,"plan_repet":3,"overlap":"skip"`),
		every(3, "queues", `,"plan_repet":3,"overlap":"queue"`))
	r, lines := run(t, s, options(time.Minute, 4*time.Second))
	wantLines(t, lines,
		"skips 2.0 due 6s ended 6s skipped overlap 1",
		"skips 1.1 due 3s began 3s ended 7s ok",
		"queues 1.1 due 3s began 3s ended 7s ok",
		"queues 2.1 due 6s began 7s ended 11s ok",
		"skips 3.1 due 9s began 9s ended 13s ok",
		"queues 3.1 due 9s began 11s ended 15s ok",
	)
	if got := r.Stations[0]; got.MostUnderWay != 2 || got.LongestWait["turn"] != 2 || len(got.LongestWait) != 1 {
		t.Errorf("load of the station: %+v", got)
	}
}

// An occurrence that falls due at the end of an execution was due before its reply is read.
func TestTheDueTimeComesBeforeTheReply(t *testing.T) {
	_, lines := run(t, sourceOf(t, nil, every(2, "p", `,"plan_repet":3,"overlap":"skip"`)), options(time.Minute, 2*time.Second))
	wantLines(t, lines,
		"p 2.0 due 4s ended 4s skipped overlap 1",
		"p 1.1 due 2s began 2s ended 4s ok",
		"p 3.1 due 6s began 6s ended 8s ok",
	)
}

func TestWorkersAreLimited(t *testing.T) {
	plans := []string{every(10, "a", `,"plan_repet":1`), every(10, "b", `,"plan_repet":1`), every(10, "c", `,"plan_repet":1`)}
	for kind, wait := range map[string]float64{"api": 10, "pull": 10} {
		o := options(time.Minute, 5*time.Second)
		o.Workers = map[string]int{"s": 1}
		r, lines := run(t, sourceOf(t, []string{`{"station":"s","kind":"` + kind + `"}`}, plans...), o)
		wantLines(t, lines,
			"a 1.1 due 10s began 10s ended 15s ok",
			"b 1.1 due 10s began 15s ended 20s ok",
			"c 1.1 due 10s began 20s ended 25s ok",
		)
		if got := r.Stations[0]; got.MostUnderWay != 1 || got.LongestWait["worker"] < wait || got.LongestWait["worker"] > wait+0.01 {
			t.Errorf("%s: load of the station: %+v", kind, got)
		}
	}
}

// An execution that waits in the queue of its worker is given up at its start_timeout, as there.
func TestAQueueOfWorkersTimesOut(t *testing.T) {
	o := options(20*time.Second, 50*time.Second)
	o.Workers = map[string]int{"s": 1}
	more := `,"plan_repet":1,"start_timeout":30,"retry":{"strategy":"none"}`
	_, lines := run(t, sourceOf(t, nil, every(10, "a", more), every(10, "b", more)), o)
	wantLines(t, lines,
		"b 1.1 due 10s ended 40s failure retries 1",
		"a 1.1 due 10s began 10s ended 1m0s ok",
	)
}

func TestALimitMakesOthersWaitForRoom(t *testing.T) {
	s := sourceOf(t, []string{`{"station":"s","max_concurrency":1}`}, every(10, "a", `,"plan_repet":1`), every(10, "b", `,"plan_repet":1`))
	r, lines := run(t, s, options(time.Minute, 5*time.Second))
	wantLines(t, lines, "a 1.1 due 10s began 10s ended 15s ok", "b 1.1 due 10s began 15s ended 20s ok")
	if got := r.Stations[0].LongestWait; got["room"] != 5 || len(got) != 1 {
		t.Errorf("waits: %v", got)
	}
}

// Executions that take longer than exec_timeout go on, because workers extend it.
func TestWorkersExtendTheirTime(t *testing.T) {
	for _, kind := range []string{"api", "pull", "vote"} {
		s := sourceOf(t, []string{`{"station":"s","kind":"` + kind + `"}`}, every(10, "a", `,"plan_repet":1,"exec_timeout":3`))
		_, lines := run(t, s, options(time.Minute, 2*time.Minute))
		wantLines(t, lines, "a 1.1 due 10s began 10s ended 2m10s ok")
	}
}

func TestPingsKeepAClaim(t *testing.T) {
	s := sourceOf(t, []string{`{"station":"s","kind":"pull","ping_timeout_ms":3000}`}, every(10, "a", `,"plan_repet":1`))
	_, lines := run(t, s, options(time.Minute, 2*time.Minute))
	wantLines(t, lines, "a 1.1 due 10s began 10s ended 2m10s ok")
}

func TestSeveralWorkersAndVotes(t *testing.T) {
	s := sourceOf(t, []string{`{"station":"s","kind":"pull"}`}, every(10, "a", `,"plan_repet":1,"worker_count":3`))
	r, _ := run(t, s, options(time.Minute, time.Second))
	if r.States[schema.StateOK] != 3 || r.Stations[0].MostUnderWay != 3 {
		t.Errorf("three workers: %v, %+v", r.States, r.Stations[0])
	}
	s = sourceOf(t, []string{`{"station":"s","kind":"vote","voters":3}`}, every(10, "a", `,"plan_repet":2`))
	if r, _ = run(t, s, options(time.Minute, time.Second)); r.States[schema.StateOK] != 2 {
		t.Errorf("votes: %v", r.States)
	}
	s = sourceOf(t, []string{`{"station":"s","kind":"pub"}`}, `{"station":"s","plan_id":"p","plan_type":"second","plan_value":10,"plan_repet":2}`)
	if r, _ = run(t, s, options(time.Minute, time.Second)); r.States[schema.StateOK] != 2 {
		t.Errorf("pub: %v", r.States)
	}
}

func TestAPauseSkipsAll(t *testing.T) {
	r, _ := run(t, sourceOf(t, nil, every(1, "p", `,"plan_repet":-1,"paused":true`)), options(48*time.Hour, time.Second))
	if want := map[schema.Reason]int64{schema.ReasonPaused: 48*60*60 - 1}; !maps.Equal(r.Skipped, want) {
		t.Errorf("skipped %v, want %v", r.Skipped, want)
	}
}

func TestClockChangesAreNoted(t *testing.T) {
	s := sourceOf(t, nil, `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"30 2 * * *","timezone":"Europe/Berlin"}`)
	r, lines := run(t, s, options(48*time.Hour, time.Second))
	wantLines(t, lines, "p 1.1 due 1h30m0s began 1h30m0s ended 1h30m1s ok", "p 2.1 due 25h0m0s began 25h0m0s ended 25h0m1s ok")
	lost := sourceOf(t, nil, `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"30 2 * * *","timezone":"Europe/Berlin","clock_change":{"gap":"skip"}}`)
	skipping, lines := run(t, lost, options(48*time.Hour, time.Second))
	wantLines(t, lines, "p 1.1 due 1h30m0s began 1h30m0s ended 1h30m1s ok")
	if len(skipping.Notes) != 1 || skipping.Notes[0].Kind != schema.NoteGap || skipping.Notes[0].Occurrence != 0 ||
		skipping.Notes[0].Text != "02:30:00 does not exist on 2027-03-28 in Europe/Berlin; there is no occurrence, because the plan skips it" {
		t.Errorf("notes of one that skips: %+v", skipping.Notes[0])
	}
	if len(r.Notes) != 1 || r.Notes[0].Kind != schema.NoteGap || r.Notes[0].Occurrence != 2 || r.Notes[0].Count != 1 {
		t.Errorf("notes: %+v", r.Notes)
	}
}

func TestAnOutageCostsByCatchUp(t *testing.T) {
	s := sourceOf(t, nil, every(60, "p", `,"plan_repet":-1,"no_keep":true`))
	o := options(time.Hour, time.Second)
	o.Outages = []simulate.Outage{{From: from.Add(10*time.Minute + 30*time.Second), Until: from.Add(20*time.Minute + 30*time.Second)}}
	r, _ := run(t, s, o)
	if err := r.CatchUp(t.Context(), s, o); err != nil {
		t.Fatal(err)
	}
	got := r.Outages[0]
	want := simulate.OutageReport{From: o.Outages[0].From, Until: o.Outages[0].Until}
	want.CatchUp.None = simulate.OutageCost{Skipped: 10}
	want.CatchUp.Compact = simulate.OutageCost{Late: 1, Skipped: 9, LongestDelay: 30}
	full := simulate.OutageCost{Late: 10, LongestDelay: 570, CaughtUp: 9}
	want.AsIs, want.CatchUp.Full = full, full
	got.AsIs.CaughtUp, got.CatchUp.Full.CaughtUp = float64(int(got.AsIs.CaughtUp)), float64(int(got.CatchUp.Full.CaughtUp))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outage (-want +got):\n%s", diff)
	}
	if r.Executions != 59 {
		t.Errorf("%d executions, want 59", r.Executions)
	}
}

// An execution goes on during an outage, and its reply is read behind it.
func TestAReplyDuringAnOutageIsRead(t *testing.T) {
	s := sourceOf(t, nil, every(60, "p", `,"plan_repet":1`))
	o := options(time.Hour, 30*time.Second)
	o.Outages = []simulate.Outage{{From: from.Add(70 * time.Second), Until: from.Add(10 * time.Minute)}}
	_, lines := run(t, s, o)
	wantLines(t, lines, "p 1.1 due 1m0s began 1m0s ended 10m0s ok")
}

// A plan that stops until a person acts is noted.
func TestAStopIsNoted(t *testing.T) {
	o := options(time.Hour, time.Second)
	o.Fail = 1
	r, _ := run(t, sourceOf(t, nil, every(60, "p", `,"plan_repet":-1,"retry":{"strategy":"none","need_manual":true}`)), o)
	if r.Executions != 1 || len(r.Notes) != 1 || r.Notes[0].Kind != "pending" || r.Notes[0].Occurrence != 1 {
		t.Errorf("%d executions, notes %+v", r.Executions, r.Notes)
	}
}

// calendarOf is a calendar in JSON.
func calendarOf(t testing.TB, text string) *schema.Calendar {
	t.Helper()
	v, err := wire.Scan([]byte(text), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.ParseCalendar(v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Plans leave out the days of calendars, or move around them, which is noted; occurrences that
// are excluded before the end are reported, though the exclusion goes on.
func TestCalendarsCount(t *testing.T) {
	s := sourceOf(t, nil,
		`{"station":"s","plan_id":"moves","command":"c","plan_type":"cron","cron":"0 9 * * sat","exclude":["weekends"],"excluded":"next"}`,
		`{"station":"s","plan_id":"skips","command":"c","plan_type":"cron","cron":"*/10 * * * *","exclude":["weekends"]}`)
	s.Calendars = []*schema.Calendar{calendarOf(t, `{"calendar_id":"weekends","days":[{"weekday":"sat","name":"Saturday"},{"weekday":"sun"}]}`)}
	o := options(36*time.Hour, time.Second)
	o.From = from.Add(-12 * time.Hour) // of a Friday, until noon of Saturday
	o.Until = from.Add(12 * time.Hour)
	r, _ := run(t, s, o)
	if want := map[schema.Reason]int64{schema.ReasonCalendar: 72}; !maps.Equal(r.Skipped, want) || r.Executions != 71 {
		t.Errorf("%d executions, skipped %v; want 71, %v", r.Executions, r.Skipped, want)
	}
	o.Until = from.Add(72 * time.Hour)
	r, lines := run(t, s, o)
	var moved []string
	for _, line := range lines {
		if strings.HasPrefix(line, "moves ") {
			moved = append(moved, line)
		}
	}
	wantLines(t, moved, "moves 1.1 due 57h0m0s began 57h0m0s ended 57h0m1s ok")
	var notes []string
	for _, n := range r.Notes {
		notes = append(notes, fmt.Sprintf("%s %s %d %s", n.PlanID, n.Kind, n.Count, n.Text))
	}
	wantLines(t, notes,
		"moves moved 1 moved from 2027-03-27 09:00 by weekends",
		"skips excluded 288 excluded by weekends (2027-03-27, Saturday)")
}

// A change of a calendar counts from the begin, for plans with a record, too; and a successor behind
// an outage knows it.
func TestAChangeOfACalendarCounts(t *testing.T) {
	s := sourceOf(t, nil, `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"0 * * * *","exclude":["freeze"]}`)
	s.Calendars = []*schema.Calendar{calendarOf(t, `{"calendar_id":"freeze","days":[{"date":"2027-03-27"}]}`)}
	s.At = from.Add(-90 * time.Minute)
	r, _ := run(t, s, options(24*time.Hour, time.Second))
	if want := map[schema.Reason]int64{schema.ReasonCalendar: 24}; !maps.Equal(r.Skipped, want) {
		t.Errorf("skipped %v, want %v", r.Skipped, want)
	}
	s.CalendarChanges = []*schema.Calendar{calendarOf(t, `{"calendar_id":"freeze","windows":[{"from":"00:00","to":"06:00"},{"from":"12:00","to":"18:00"}]}`)}
	o := options(24*time.Hour, time.Second)
	o.Outages = []simulate.Outage{{From: from.Add(7*time.Hour + time.Minute), Until: from.Add(7*time.Hour + 2*time.Minute)}}
	r, _ = run(t, s, o)
	if want := map[schema.Reason]int64{schema.ReasonCalendar: 12}; !maps.Equal(r.Skipped, want) || r.Executions != 12 {
		t.Errorf("%d executions, skipped %v; want 12, %v", r.Executions, r.Skipped, want)
	}
}

// A plan whose calendar there is not is named.
func TestAMissingCalendarIsNamed(t *testing.T) {
	s := sourceOf(t, nil, every(60, "p", `,"plan_repet":-1,"exclude":["frezee"]`))
	s.Calendars = []*schema.Calendar{calendarOf(t, `{"calendar_id":"freeze","days":[{"date":"2027-03-27"}]}`)}
	_, err := simulate.Run(t.Context(), s, options(time.Hour, time.Second), nil)
	if err == nil || err.Error() != "plan s/p: invalid_plan: exclude: exclude names calendar frezee, which does not exist; did you mean freeze?" {
		t.Errorf("%v", err)
	}
}
