package front_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A realLeader decides by the real machine, at a time that the test sets, and
// keeps nothing on disk.
type realLeader struct {
	mu  sync.Mutex
	now time.Time
	m   *machine.Machine
	b   *batch.Batch
	// sent are the executions that it ordered.
	sent []*event.Outgoing
	// interfere is called before a command is carried out, and stands for another client's change
	// at that moment.
	interfere func(command.Command)
	// knows, if not nil, may answer a command instead of the machine.
	knows func(command.Command) (any, bool)
}

func newRealLeader() *realLeader {
	r := &realLeader{now: noon, m: machine.New(machine.Config{}), b: batch.New(8 << 20)}
	r.m.Lead(noon, 1, time.Time{})
	return r
}

func (l *realLeader) Ask(_ int, c command.Command, done func(any, error)) {
	if l.interfere != nil {
		l.interfere(c)
	}
	if l.knows != nil {
		if answer, ok := l.knows(c); ok {
			done(answer, nil)
			return
		}
	}
	bare, _ := command.Bare(c)
	a := l.step(event.Ask{From: "user", What: bare, Dry: command.IsDry(c)})
	done(a.Body, a.Err)
}

func (l *realLeader) step(ev event.Event) (answer event.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset(l.b.Number + 1)
	l.m.Step(l.now, ev, l.b)
	for _, e := range l.b.Effects {
		switch e := e.(type) {
		case event.Answer:
			answer = e
		case event.Dispatch:
			l.sent = append(l.sent, e.Execution)
		}
	}
	return answer
}

// mustAsk asks in JSON and returns the answer, which must be no error.
func (d *harness) mustAsk(subject, body string) string {
	d.t.Helper()
	answer, header := d.ask(wire.JSON, subject, body)
	if header.Get("Nats-Service-Error") != "" {
		d.t.Fatalf("%s %s: %s", subject, body, answer)
	}
	return answer
}

const nightly = `"tenant_id":7,"type":"bills.eu","creator":3,"cron_expressions":"0 3 * * *","timezone":"Europe/Berlin","log":"trans_log","category":"night","ext":{"a":1}`

func nightlyIs(status, updated string) string {
	return fmt.Sprintf(`{"id":"5","tenant_id":"7","type":"bills.eu","creator":"3","cron_expressions":"0 3 * * *","timezone":"Europe/Berlin",`+
		`"status":%q,"log":"trans_log","category":"night","ext":{"a":1},"create_date":"2026-03-01T12:00:00Z","update_date":%q}`, status, updated)
}

// A periodic task is new, then online or offline; a put again keeps that.
func TestPeriodicTask(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l, now := newRealLeader(), noon
		d := openOn(t, ns, l, func(c *front.Config) { c.Now = func() time.Time { return now } })
		for _, enc := range encodings {
			if got, _ := d.ask(enc, "periodic_tasks.put", `{"id":5,`+nightly+`}`); got != `{"id":"5","status":"new"}` {
				t.Errorf("put: %s", got)
			}
			d.want("periodic_tasks.get", `{"id":"5"}`, nightlyIs("new", "2026-03-01T12:00:00Z"))
		}
		if s := planOf(t, d, "bills.eu", "periodic_5").Status; s != schema.StatusPaused {
			t.Errorf("the plan of a new one is %s", s)
		}
		now = noon.Add(time.Second)
		d.want("periodic_tasks.online", `{"id":5}`, `{"id":"5","status":"online"}`) // and again
		d.want("periodic_tasks.get", `{"id":5}`, nightlyIs("online", "2026-03-01T12:00:01Z"))
		if s := planOf(t, d, "bills.eu", "periodic_5"); s.Status != schema.StatusQueued || !s.PlanTime.Equal(noon.Add(14*time.Hour)) {
			t.Errorf("the plan of one that is online is %s, due %v", s.Status, s.PlanTime)
		}
		d.mustAsk("periodic_tasks.put", `{"id":5,`+nightly+`}`)
		d.want("periodic_tasks.offline", `{"id":5}`, `{"id":"5","status":"offline"}`)
		now = noon.Add(2 * time.Second)
		if got := d.mustAsk("periodic_tasks.put", `{"id":5,`+nightly+`}`); got != `{"id":"5","status":"offline"}` {
			t.Errorf("put again: %s", got)
		}
		d.want("periodic_tasks.get", `{"id":5}`, nightlyIs("offline", "2026-03-01T12:00:02Z"))
		d.mustAsk("periodic_tasks.delete", `{"id":5}`)
		for _, verb := range []string{"get", "online", "offline", "delete", "logs"} {
			d.refuse("periodic_tasks."+verb, `{"id":5}`, schema.CodeNotFound, "id", "no periodic task 5")
		}
		// A task that was never online can be put offline, and an id is made.
		if got := d.mustAsk("periodic_tasks.put", `{"type":"s","cron_expressions":"@daily"}`); !strings.HasSuffix(got, `","status":"new"}`) || len(got) != len(`{"id":"","status":"new"}`)+26 {
			t.Errorf("put without an id: %s", got)
		}
		d.mustAsk("periodic_tasks.put", `{"id":"x","type":"s","cron_expressions":"@daily"}`)
		d.want("periodic_tasks.offline", `{"id":"x"}`, `{"id":"x","status":"offline"}`)
		if got := d.mustAsk("periodic_tasks.get", `{"id":"x"}`); !strings.Contains(got, `"status":"offline","log":"none"`) {
			t.Errorf("%s", got)
		}
	})
}

func planOf(t *testing.T, d *harness, station, id string) schema.PlanState {
	t.Helper()
	var view command.PlanView
	if err := wire.DecodeLoose(value(t, d.mustAsk("plans.get", fmt.Sprintf(`{"station":%q,"plan_id":%q}`, station, id))), &view); err != nil {
		t.Fatal(err)
	}
	return view.State
}

// One id has one type. A task that is put with another type moves, with its status.
func TestPeriodicTaskMoves(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		put := func(kind string) string {
			return d.mustAsk("periodic_tasks.put", fmt.Sprintf(`{"id":"m","type":%q,"cron_expressions":"* * * * *"}`, kind))
		}
		for i, verb := range []string{"new", "online", "offline"} {
			put("a")
			if i > 0 {
				d.mustAsk("periodic_tasks."+verb, `{"id":"m"}`)
			}
			if got := put("b"); got != fmt.Sprintf(`{"id":"m","status":%q}`, verb) {
				t.Errorf("moved: %s", got)
			}
			got := d.mustAsk("periodic_tasks.get", `{"id":"m"}`)
			if !strings.Contains(got, `"type":"b"`) || !strings.Contains(got, fmt.Sprintf(`"status":%q`, verb)) {
				t.Errorf("after the move: %s", got)
			}
			d.refuse("plans.get", `{"station":"a","plan_id":"periodic_m"}`, schema.CodeNotFound, "plan_id", "")
		}
	})
}

// A plan that a user created under such an id is no periodic task.
func TestPeriodicTaskIsNoOtherPlan(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		d.mustAsk("plans.create", `{"station":"a","plan_id":"periodic_1","command":"c","plan_type":"cron","cron":"* * * * *"}`)
		d.mustAsk("plans.create", `{"station":"a","plan_id":"periodicX","command":"periodic_task","plan_type":"cron","cron":"* * * * *"}`)
		d.refuse("periodic_tasks.get", `{"id":1}`, schema.CodeNotFound, "id", "")
		d.want("periodic_tasks.list", ``, `{"periodic_tasks":[]}`)
		d.refuse("periodic_tasks.put", `{"id":1,"type":"a","cron_expressions":"* * * * *"}`, schema.CodeAlreadyExists, "id", "a/periodic_1")
	})
}

// A concurrent change by another client is not undone, and none is lost.
func TestPeriodicTaskUnderCompetition(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := newRealLeader()
		d := openOn(t, ns, l)
		d.mustAsk("periodic_tasks.put", `{"id":"c","type":"a","cron_expressions":"* * * * *"}`)
		meddled, minute := 0, regexp.MustCompile(`"\S \* \* \* \*"`)
		l.interfere = func(c command.Command) {
			if u, ok := c.(command.UpdatePlan); ok && meddled < 3 {
				meddled++
				l.step(event.Ask{From: "other", What: command.UpdatePlan{
					Definition:  plan(t, minute.ReplaceAllString(string(u.Definition.Raw), fmt.Sprintf(`"%d * * * *"`, meddled))),
					Incarnation: u.Incarnation, Revision: u.Revision,
				}})
			}
		}
		d.want("periodic_tasks.online", `{"id":"c"}`, `{"id":"c","status":"online"}`)
		if meddled != 3 {
			t.Errorf("meddled %d times", meddled)
		}
		if s := planOf(t, d, "a", "periodic_c"); s.Status != schema.StatusQueued || s.Revision != 4 {
			t.Errorf("the plan is %s at revision %d", s.Status, s.Revision)
		}
	})
}

func TestListPeriodicTasks(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader(), func(c *front.Config) { c.Space.Partitions = 1 })
		for i, kind := range []string{"a", "b", "a", "b.c"} {
			d.mustAsk("periodic_tasks.put", fmt.Sprintf(`{"id":%d,"type":%q,"tenant_id":%d,"creator":"u%d","category":"k%d","cron_expressions":"* * * * *"}`, i, kind, i%2, i%2, i/2))
		}
		d.mustAsk("plans.create", `{"station":"a","command":"c","plan_type":"cron","cron":"* * * * *"}`)
		d.mustAsk("periodic_tasks.online", `{"id":1}`)
		d.mustAsk("periodic_tasks.offline", `{"id":2}`)
		for ask, want := range map[string]string{
			``:                              "0 2 1 3",
			`{"type":"a"}`:                  "0 2",
			`{"type":"b.>"}`:                "type",
			`{"tenant_id":1}`:               "1 3",
			`{"creator":"u0"}`:              "0 2",
			`{"category":"k1"}`:             "2 3",
			`{"status":"online"}`:           "1",
			`{"status":"offline"}`:          "2",
			`{"status":"new"}`:              "0 3",
			`{"status":"new","type":"b.c"}`: "3",
			`{"status":"halted"}`:           "status",
			`{"limit":0}`:                   "limit",
			`{"cursor":"x"}`:                "cursor",
		} {
			if !strings.ContainsAny(want, "0123456789") {
				d.refuse("periodic_tasks.list", ask, schema.CodeInvalidRequest, want, "")
				continue
			}
			var page schema.PeriodicPage
			if err := wire.DecodeLoose(value(t, d.mustAsk("periodic_tasks.list", ask)), &page); err != nil {
				t.Fatal(err)
			}
			if got := idsOf(page.PeriodicTasks); got != want || page.Next != "" {
				t.Errorf("list %s: %s, next %q, want %s", ask, got, page.Next, want)
			}
		}
		// Page by page.
		var got []schema.PeriodicTask
		for cursor, more := "", true; more; {
			var page schema.PeriodicPage
			if err := wire.DecodeLoose(value(t, d.mustAsk("periodic_tasks.list", fmt.Sprintf(`{"limit":1,"cursor":%q}`, cursor))), &page); err != nil {
				t.Fatal(err)
			}
			got = append(got, page.PeriodicTasks...)
			cursor, more = page.Next, page.Next != ""
		}
		if ids := idsOf(got); ids != "0 2 1 3" {
			t.Errorf("page by page: %s", ids)
		}
	})
}

func idsOf(tasks []schema.PeriodicTask) string {
	var ids []string
	for _, t := range tasks {
		ids = append(ids, t.ID)
	}
	return strings.Join(ids, " ")
}

func TestPeriodicTaskRefuses(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, newRealLeader())
		for body, field := range map[string]string{
			`{"id":"a.b","type":"s","cron_expressions":"* * * * *"}`:                            "id",
			`{"id":"` + strings.Repeat("a", 120) + `","type":"s","cron_expressions":"@hourly"}`: "id",
			`{"cron_expressions":"* * * * *"}`:                                                  "type",
			`{"type":"s..t","cron_expressions":"* * * * *"}`:                                    "type",
			`{"type":"s"}`: "cron_expressions",
			`{"type":"s","cron_expressions":"* * *"}`:                           "cron_expressions",
			`{"type":"s","cron_expressions":"0 0 30 2 *"}`:                      "cron_expressions",
			`{"type":"s","cron_expressions":"@daily","timezone":"Nowhere"}`:     "timezone",
			`{"type":"s","cron_expressions":"@daily","log":"all"}`:              "log",
			`{"type":"s","cron_expressions":"@daily","status":"online"}`:        "status",
			`{"type":"s","cron_expressions":"@daily","ext":{"a":1},"retry":{}}`: "retry",
		} {
			d.refuse("periodic_tasks.put", body, schema.CodeInvalidRequest, field, "")
		}
		d.refuse("periodic_tasks.get", `{}`, schema.CodeInvalidRequest, "id", "")
		d.refuse("periodic_tasks.online", `{"id":"a","type":"s"}`, schema.CodeInvalidRequest, "type", "")
		d.refuse("periodic_tasks.logs", `{"id":"a","limit":1001}`, schema.CodeInvalidRequest, "limit", "")
	})
}

// For a type whose agents fetch, put and online warn that they get no triggers, and the log
// has the triggers that were not claimed.
func TestPeriodicTaskOfAPullType(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := newRealLeader()
		l.knows = func(c command.Command) (any, bool) {
			of, is := c.(command.GetStation)
			return schema.Station{Station: of.Station, Kind: schema.KindPull}, is
		}
		d := openOn(t, ns, l)
		const warned = `"warning":"agents of type agents fetch,`
		if got := d.mustAsk("periodic_tasks.put", `{"id":"p","type":"agents","cron_expressions":"* * * * *","log":"trans_log"}`); !strings.Contains(got, warned) {
			t.Errorf("put: %s", got)
		}
		for range 2 { // the second changes nothing
			if got := d.mustAsk("periodic_tasks.online", `{"id":"p"}`); !strings.Contains(got, warned) {
				t.Errorf("online: %s", got)
			}
		}
		gaveWay := result("periodic_p", int64(planOf(t, d, "agents", "periodic_p").Incarnation), 4, schema.StateSkipped)
		gaveWay.Station, gaveWay.Reason = "agents", schema.ReasonOverlap
		d.keepOf(wire.MsgPack, gaveWay)
		if got := d.mustAsk("periodic_tasks.logs", `{"id":"p"}`); !strings.Contains(got, `"result":"failure","error_info":"no agent claimed it`) {
			t.Errorf("logs: %s", got)
		}
		d.want("periodic_tasks.offline", `{"id":"p"}`, `{"id":"p","status":"offline"}`)
	})
}

// Logs are the triggers, the newest first, with the mode that the task had then.
func TestPeriodicLogs(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := newRealLeader()
		d := openOn(t, ns, l)
		d.mustAsk("periodic_tasks.put", `{"id":"p","type":"s","tenant_id":"7","cron_expressions":"* * * * *","log":"trans_log"}`)
		d.mustAsk("periodic_tasks.online", `{"id":"p"}`)
		l.now = noon.Add(time.Minute)
		l.step(event.Tick{}) // run 1 is under way
		incarnation := int64(planOf(t, d, "s", "periodic_p").Incarnation)
		kept := func(incarnation, n int64, mode string, state schema.State) {
			r := result("periodic_p", incarnation, n, state)
			r.Attempt, r.Labels = 1, map[string]string{"log": mode}
			r.ExecTime, r.EndTime = noon.Add(time.Duration(n)*time.Second), noon.Add(time.Duration(n)*time.Second+500*time.Millisecond)
			if state == schema.StateFailure {
				r.Error = wire.Text(wire.JSON, "no disk")
			}
			d.keep(wire.MsgPack, r)
		}
		kept(incarnation-1, 20, "trans_log", schema.StateOK) // of a deleted task that had the id
		kept(incarnation, 11, "trigger_log", schema.StateFailure)
		kept(incarnation, 12, "trans_log", schema.StateFailure)
		kept(incarnation, 13, "trans_log", schema.StateOK)
		d.keep(wire.JSON, result("periodic_p", incarnation, 14, schema.StateSkipped))
		var page schema.PeriodicLogPage
		if err := wire.DecodeLoose(value(t, d.mustAsk("periodic_tasks.logs", `{"id":"p","limit":3}`)), &page); err != nil {
			t.Fatal(err)
		}
		want := func(n int64, result schema.PeriodicResult, info string, ended time.Duration) schema.PeriodicLog {
			at := noon.Add(time.Duration(n) * time.Second)
			return schema.PeriodicLog{
				ID: fmt.Sprintf("p.%d.%d", incarnation, n), PeriodicTaskID: "p", TenantID: "7", Result: result, ErrorInfo: info,
				CreateDate: at, UpdateDate: at.Add(ended),
			}
		}
		if diff := cmp.Diff([]schema.PeriodicLog{
			want(13, schema.PeriodicSuccess, "", 500*time.Millisecond),
			want(12, schema.PeriodicFailure, "no disk", 500*time.Millisecond),
			want(11, schema.PeriodicSuccess, "", 0),
		}, page.Logs); diff != "" || page.Next == "" {
			t.Fatalf("the first page has the cursor %q and %s", page.Next, diff)
		}
		d.want("periodic_tasks.logs", fmt.Sprintf(`{"id":"p","cursor":%q}`, page.Next), fmt.Sprintf(`{"logs":[`+
			`{"id":"p.%d.1","periodic_task_id":"p","tenant_id":"7","result":"executing","create_date":"2026-03-01T12:01:00Z","update_date":"2026-03-01T12:01:00Z"}]}`, incarnation))
	})
}
