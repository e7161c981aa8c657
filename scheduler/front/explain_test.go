package front_test

import (
	"fmt"
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

// knowing is a leader of a plan of which it knows this much.
func knowing(e schema.Explanation) *leader {
	const digest = `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"0 9 * * *","timezone":"Europe/Berlin","overlap":"skip"}`
	e.Station, e.PlanID = "s", "p"
	return answering(command.Explained{Known: e, Plan: wire.Trust(wire.JSON, []byte(digest)), Incarnation: 9}, nil)
}

// skippedRun is a result about an occurrence that ran into another one.
func skippedRun(incarnation int64) schema.Result {
	r := result("p", incarnation, 58, schema.StateSkipped)
	r.Occurrence, r.PlanTime, r.EndTime = 42, time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC), time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	r.Reason, r.Final = schema.ReasonOverlap, true
	r.Because = &schema.Because{Occurrence: 41, N: 57, State: schema.StateRunning, WorkerID: "w3", Since: time.Date(2026, 11, 24, 7, 55, 0, 0, time.UTC)}
	return r
}

// Results explain occurrences that the leader has forgotten, if they are of the present life of
// the plan.
func TestExplainReadsTheResults(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := knowing(schema.Explanation{Occurrence: 42, Next: &schema.Next{Occurrence: 43, PlanTime: time.Date(2026, 11, 25, 8, 0, 0, 0, time.UTC)}})
		d := openOn(t, ns, l)
		other := skippedRun(8) // of a plan that had this name before
		other.Because.WorkerID = "w9"
		ok := result("p", 9, 56, schema.StateOK)
		ok.Occurrence, ok.EndTime, ok.Final = 40, time.Date(2026, 11, 22, 8, 1, 0, 0, time.UTC), true
		d.keep(wire.JSON, other)
		d.keep(wire.MsgPack, ok)
		d.keep(wire.JSON, skippedRun(9))
		d.keepRaw("p", []byte("no result at all"))
		d.want("plans.explain", `{"station":"s","plan_id":"p","occurrence":42}`,
			`{"station":"s","plan_id":"p","verdict":"skipped","occurrence":42,"n":58,"plan_time":"2026-11-24T08:00:00Z","reason":"overlap",`+
				`"sentence":"Occurrence 42 (2026-11-24 09:00 in Europe/Berlin) did not run: occurrence 41 was still running at w3 since 08:55.",`+
				`"rule":{"field":"overlap","value":"skip","from":"plan"},`+
				`"because":{"occurrence":41,"n":57,"state":"running","worker_id":"w3","since":"2026-11-24T07:55:00Z"},`+
				`"next":{"plan_time":"2026-11-25T08:00:00Z","occurrence":43},"remedy":"overlap: queue would run it after occurrence 41",`+
				`"last_ok":{"occurrence":40,"end_time":"2026-11-22T08:01:00Z"}}`)
		want := command.ExplainPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}, Occurrence: 42}
		if diff := cmp.Diff(command.Command(want), l.commands()[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// The account of lost time leaves out causes whose share rounds to nothing.
func TestExplainLeavesOutDelaysOfAMoment(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, knowing(schema.Explanation{Occurrence: 42}))
		ok := result("p", 9, 56, schema.StateOK)
		ok.Occurrence, ok.PlanTime, ok.Final = 42, time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC), true
		ok.ExecTime, ok.EndTime = ok.PlanTime.Add(6*time.Second), ok.PlanTime.Add(7*time.Second)
		ok.Late = &schema.Late{Jitter: 5.9998, Absent: 0.00024}
		d.keep(wire.JSON, ok)
		d.want("plans.explain", `{"station":"s","plan_id":"p","occurrence":42}`,
			`{"station":"s","plan_id":"p","verdict":"ran","occurrence":42,"n":56,"plan_time":"2026-11-24T08:00:00Z",`+
				`"sentence":"Occurrence 42 (2026-11-24 09:00 in Europe/Berlin) ran from 09:00:06 to 09:00:07. It began 6 s late: 6 s of jitter.",`+
				`"late":{"jitter":5.9998,"absent":0.00024},"last_ok":{"occurrence":42,"end_time":"2026-11-24T08:00:07Z"}}`)
	})
}

// A request is about one occurrence, run or moment at most, and names one of two languages.
func TestExplainRefusals(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, knowing(schema.Explanation{Verdict: schema.VerdictNotDue}))
		for _, c := range []struct{ more, field, hint string }{
			{`,"occurrence":1,"n":1`, "n", "at most one of occurrence, n and at"},
			{`,"occurrence":1,"at":"2026-11-24T08:00:00Z"`, "at", "occurrence and at are given"},
			{`,"n":1,"at":"2026-11-24T08:00:00Z"`, "at", "n and at are given"},
			{`,"occurrence":0`, "occurrence", "1 to"}, {`,"n":-1`, "n", "1 to"}, {`,"at":"yesterday"`, "at", ""},
			{`,"lang":"fr"`, "lang", "en, zh"}, {`,"occurence":1`, "occurence", "occurrence"},
		} {
			d.refuse("plans.explain", `{"station":"s","plan_id":"p"`+c.more+`}`, schema.CodeInvalidPlan, c.field, c.hint)
		}
		d.refuse("plans.explain", `{"station":"s"}`, schema.CodeInvalidPlan, "plan_id", "")
	})
}

// Of a plan without results, none is kept that ended before the answer.
func TestExplainOfAPlanWithoutResults(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, knowing(schema.Explanation{}))
		d.want("plans.explain", `{"station":"s","plan_id":"p","occurrence":7}`,
			`{"station":"s","plan_id":"p","verdict":"unknown","occurrence":7,`+
				`"sentence":"What became of occurrence 7 is unknown, because no result of the plan is kept.","kept_since":"2026-03-01T12:00:00Z"}`)
	})
}

// A plan that is gone is explained while results of it are kept, the newest of two that had its name.
func TestExplainAPlanThatIsGone(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(nil, &schema.Error{Code: schema.CodeNotFound, Field: "plan_id", Message: "there is no plan"}))
		d.refuse("plans.explain", `{"station":"s","plan_id":"p"}`, schema.CodeNotFound, "plan_id", "there is no plan")
		old := skippedRun(8)
		old.N = 77
		d.keep(wire.JSON, old)
		d.keep(wire.JSON, skippedRun(9))
		d.want("plans.explain", `{"station":"s","plan_id":"p","at":"2026-11-24T08:00:40Z","lang":"zh"}`,
			`{"station":"s","plan_id":"p","verdict":"skipped","occurrence":42,"n":58,"plan_time":"2026-11-24T08:00:00Z","reason":"overlap",`+
				`"sentence":"第 42 次（2026-11-24 08:00，UTC 时间）未执行：第 41 次自 07:55 起在 w3 上仍处于执行中。",`+
				`"because":{"occurrence":41,"n":57,"state":"running","worker_id":"w3","since":"2026-11-24T07:55:00Z"}}`)
		d.refuse("plans.explain", `{"station":"s","plan_id":"p","n":77}`, schema.CodeNotFound, "n", "its newest is 58")
		d.want("plans.explain", `{"station":"s","plan_id":"p","occurrence":7}`,
			`{"station":"s","plan_id":"p","verdict":"unknown","occurrence":7,`+
				`"sentence":"What became of occurrence 7 is unknown, because its result is kept no more; results of the plan are kept since 2026-11-24 08:00.",`+
				`"kept_since":"2026-11-24T08:00:00Z"}`)
	})
}

// An execution that never was is not found, though the results of others are kept; and a leader that
// is gone is no answer that the plan is.
func TestExplainPassesOnWhatTheLeaderRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		never := &schema.Error{Code: schema.CodeNotFound, Field: "n", Message: "there is no run 99"}
		away := &schema.Error{Code: schema.CodeUnavailable, Message: "no scheduler leads"}
		l := &leader{script: func(_ int, c command.Command) (any, error) {
			if c.(command.ExplainPlan).N == 99 {
				return nil, never
			}
			return nil, away
		}}
		d := openOn(t, ns, l)
		d.keep(wire.JSON, skippedRun(9))
		d.refuse("plans.explain", `{"station":"s","plan_id":"p","n":99}`, schema.CodeNotFound, "n", "no run 99")
		d.refuse("plans.explain", `{"station":"s","plan_id":"p","occurrence":42}`, schema.CodeUnavailable, "", "no scheduler leads")
	})
}

// BenchmarkExplain asks over NATS about a plan of which a hundred results are kept, as many as are by
// default, each with a content of a kilobyte, beside those of other plans. The leader answers at once.
func BenchmarkExplain(b *testing.B) {
	ns := brokertest.Server(b)
	d := openOn(b, ns, knowing(schema.Explanation{Occurrence: 42}))
	for n := range int64(100) {
		r := skippedRun(9)
		r.N, r.Occurrence, r.Content = n+1, n+1, wire.Text(wire.JSON, strings.Repeat("x", 1000))
		d.keep(wire.JSON, r)
	}
	for i := range 2000 {
		r := skippedRun(9)
		r.PlanID = fmt.Sprintf("other%d", i%100)
		d.keep(wire.JSON, r)
	}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if answer, _ := d.ask(wire.JSON, "plans.explain", `{"station":"s","plan_id":"p","occurrence":42}`); !strings.Contains(answer, `"skipped"`) {
			b.Fatal(answer)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}
