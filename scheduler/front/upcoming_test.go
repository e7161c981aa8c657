package front_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// standingAs is a leader of one plan, of which this is the definition, the state and the record.
func standingAs(t testing.TB, plan string, state schema.PlanState, record map[string]any) *leader {
	v := command.PlanView{PlanView: schema.PlanView{Plan: wire.Trust(wire.JSON, []byte(plan)), State: state}}
	if record != nil {
		var err error
		if v.Record, err = wire.ValueOf(wire.MsgPack, record); err != nil {
			t.Fatal(err)
		}
	}
	return answering(command.PlanSlice{Plans: []command.PlanView{v}}, nil)
}

const daily = `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"0 9 * * *","timezone":"Europe/Berlin","plan_repet":10}`

// The forecast follows from the record of a plan: numbers, skips, repetitions, and the reason when
// there is none.
func TestUpcoming(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		eighth := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC) // today's, at 09:00 in Berlin
		record := func(more map[string]any) map[string]any {
			all := map[string]any{"accepted": noon.AddDate(0, 0, -30), "occurrence": 7, "plan_time": eighth}
			for name, value := range more {
				all[name] = value
			}
			return all
		}
		entry := func(n, day, more string) string {
			return `{"occurrence":` + n + `,"plan_time":"2026-03-` + day + `T08:00:00Z","local":"2026-03-` + day + `T09:00:00+01:00","offset":"+01:00","notes":[]` + more + `}`
		}
		const words = `],"words":"At 09:00, every day, in Europe/Berlin; 10 times"`
		skip := map[string]any{"skip_to": 8, "skip_time": eighth.AddDate(0, 0, 1)}
		paused := `,"skipped":true,"reason":"paused"`
		for _, c := range []struct {
			status     schema.Status
			record     map[string]any
			more, want string
		}{
			{schema.StatusQueued, nil, ``, entry("8", "02", "") + "," + entry("9", "03", "") + "," + entry("10", "04", "") + words},
			{schema.StatusQueued, nil, `,"count":1`, entry("8", "02", "") + words},
			{schema.StatusQueued, nil, `,"until":"2026-03-03T08:00:00Z"`, entry("8", "02", "") + "," + entry("9", "03", "") + words},
			{schema.StatusQueued, nil, `,"until":"2026-03-02T07:00:00Z"`, words},
			{schema.StatusQueued, nil, `,"from":"2026-03-03T09:00:00+01:00"`, entry("9", "03", "") + "," + entry("10", "04", "") + words},
			{schema.StatusQueued, nil, `,"from":"2026-04-03T09:00:00+01:00"`, words + `,"reason":"repetitions"`},
			{schema.StatusQueued, skip, ``, entry("9", "03", "") + "," + entry("10", "04", "") + words},
			{schema.StatusQueued, skip, `,"count":2,"with_skipped":true`, entry("8", "02", `,"skipped":true,"reason":"manual"`) + "," + entry("9", "03", "") + words},
			{schema.StatusQueued, map[string]any{"skip_to": -1}, ``, words + `,"reason":"manual"`},
			{schema.StatusPaused, nil, ``, words + `,"reason":"paused"`},
			{schema.StatusPaused, skip, `,"with_skipped":true,"count":2`, entry("8", "02", paused) + "," + entry("9", "03", paused) + words + `,"reason":"paused"`},
			{schema.StatusPending, nil, ``, words + `,"reason":"pending"`},
			{schema.StatusPlanError, nil, ``, words + `,"reason":"plan_error"`},
			{schema.StatusExecuting, map[string]any{"closing": true}, `,"with_skipped":true`, words + `,"reason":"closed"`},
			{schema.StatusExecuting, map[string]any{"occurrence": 10}, ``, words + `,"reason":"repetitions"`},
			{schema.StatusExecuting, map[string]any{"queued_to": 9, "queued_time": noon, "occurrence": 6, "plan_time": eighth.AddDate(0, 0, -2)}, `,"count":1`,
				`{"occurrence":7,"plan_time":"2026-02-28T08:00:00Z","local":"2026-02-28T09:00:00+01:00","offset":"+01:00","notes":[]}` + words},
		} {
			d := openOn(t, ns, standingAs(t, daily, schema.PlanState{Status: c.status}, record(c.record)))
			d.want("plans.upcoming", `{"station":"s","plan_id":"p"`+c.more+`}`, `{"occurrences":[`+c.want+`}`)
			if err := d.front.Stop(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The zone and the language are the request's, else the plan's and English; a merge queue is
// delivered at the time that its leader reports.
func TestUpcomingIsShownAsItIsAskedFor(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := standingAs(t, strings.Replace(daily, "10}", "-1}", 1), schema.PlanState{}, map[string]any{"accepted": noon})
		d := openOn(t, ns, l)
		d.want("plans.upcoming", `{"station":"s","plan_id":"p","count":1,"zone":"Asia/Kolkata","lang":"zh","from":"2026-03-28T12:00:00Z"}`,
			`{"occurrences":[{"occurrence":28,"plan_time":"2026-03-29T07:00:00Z","local":"2026-03-29T12:30:00+05:30","offset":"+05:30","notes":[]}],`+
				`"words":"每天 09:00（Europe/Berlin 时间）"}`)
		asked := l.commands()
		want := command.ListPlans{Filter: schema.ListPlans{Station: "s"}, IDs: command.IDRange{From: "p", To: "p-"}, Limit: 1, Records: true}
		if diff := cmp.Diff(command.Command(want), asked[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, c := range []struct{ more, field, hint string }{
			{`,"zone":"berlin"`, "zone", `did you mean "Europe/Berlin"?`}, {`,"lang":"fr"`, "lang", "en, zh"},
			{`,"count":0`, "count", "1 to 1000"}, {`,"count":1001`, "count", "1 to 1000"},
			{`,"from":"2026-03-02T00:00:00Z","until":"2026-03-01T00:00:00Z"`, "until", "before from"}, {`,"withskipped":true`, "withskipped", "with_skipped"},
		} {
			d.refuse("plans.upcoming", `{"station":"s","plan_id":"p"`+c.more+`}`, schema.CodeInvalidPlan, c.field, c.hint)
		}
	})
}

func TestUpcomingOfAMergeQueue(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const queue = `{"station":"s","plan_id":"q","command":"c","plan_type":"none"}`
		full := schema.PlanState{Occurrence: 3, PlanTime: noon.Add(time.Minute), Inbox: &schema.InboxState{Length: 2}}
		d := openOn(t, ns, standingAs(t, queue, full, nil))
		d.want("plans.upcoming", `{"station":"s","plan_id":"q"}`,
			`{"occurrences":[{"occurrence":4,"plan_time":"2026-03-01T12:01:00Z","local":"2026-03-01T12:01:00Z","offset":"+00:00","notes":[]}],"words":"When items of its inbox are due"}`)
		if err := d.front.Stop(); err != nil {
			t.Fatal(err)
		}
		d = openOn(t, ns, standingAs(t, queue, schema.PlanState{Inbox: &schema.InboxState{}}, nil))
		d.want("plans.upcoming", `{"station":"s","plan_id":"q"}`, `{"occurrences":[],"words":"When items of its inbox are due","reason":"inbox"}`)
	})
}

// There is none of a plan that is not there.
func TestUpcomingOfNoPlan(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: func(_ int, c command.Command) (any, error) {
			if _, is := c.(command.GetPlan); is {
				return nil, &schema.Error{Code: schema.CodeNotFound, Message: "there is no plan"}
			}
			return command.PlanSlice{}, nil
		}})
		d.refuse("plans.upcoming", `{"station":"s","plan_id":"p"}`, schema.CodeNotFound, "", "there is no plan")
	})
}

// BenchmarkUpcoming asks over NATS for the next ten times of a plan. The leader answers at once.
func BenchmarkUpcoming(b *testing.B) {
	ns := brokertest.Server(b)
	record := map[string]any{"accepted": noon.AddDate(0, 0, -30), "occurrence": 7, "plan_time": noon}
	d := openOn(b, ns, standingAs(b, daily, schema.PlanState{Status: schema.StatusQueued}, record))
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if answer, _ := d.ask(wire.JSON, "plans.upcoming", `{"station":"s","plan_id":"p"}`); !strings.Contains(answer, `"occurrences"`) {
			b.Fatal(answer)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}
