package scheduler_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// testbed is a scheduler on a real server, and a connection for its users.
type testbed struct {
	t     testing.TB
	ns    *server.Server
	user  *nats.Conn
	sched *scheduler.Scheduler
	stop  context.CancelFunc
	done  chan error
}

// start runs a scheduler on ns and waits until it leads. Its configuration suits most tests; change
// modifies it.
func start(t testing.TB, ns *server.Server, change ...func(*scheduler.Config)) *testbed {
	t.Helper()
	b := &testbed{t: t, ns: ns, user: brokertest.Connect(t, ns)}
	dispatch, err := nats.Connect("", nats.InProcessServer(ns), nats.ReconnectBufSize(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dispatch.Close)
	cfg := scheduler.Config{
		Node:          "n1",
		Store:         brokertest.Store(t, brokertest.Connect(t, ns)),
		Dispatch:      dispatch,
		HasSubscriber: ns.GlobalAccount().SubscriptionInterest,
		Defaults:      schema.Defaults{ExecTimeout: time.Minute, StartTimeout: 30 * time.Second},
		Log:           slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, f := range change {
		f(&cfg)
	}
	b.sched = scheduler.New(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	b.stop = cancel
	b.done = make(chan error, 1)
	go func() { b.done <- b.sched.Run(ctx) }()
	t.Cleanup(b.end)
	b.leads()
	return b
}

// leads waits until there is a leader.
func (b *testbed) leads() {
	b.t.Helper()
	for !b.sched.Ready() {
		changed := b.sched.Changed()
		if b.sched.Ready() {
			break
		}
		select {
		case <-changed:
		case <-time.After(30 * time.Second):
			b.t.Fatal("no leader")
		}
	}
}

// end stops the scheduler as a signal would.
func (b *testbed) end() {
	b.stop()
	if b.done == nil {
		return
	}
	if err := <-b.done; err != nil {
		b.t.Error(err)
	}
	b.done = nil
}

// An answer is the answer to a command.
type answer struct {
	body any
	err  error
}

// send sends a command and does not wait for its answer.
func (b *testbed) send(c command.Command) <-chan answer {
	got := make(chan answer, 1)
	b.sched.Ask(0, c, func(body any, err error) { got <- answer{body, err} })
	return got
}

// ask sends a command and returns its answer.
func (b *testbed) ask(c command.Command) (any, error) {
	b.t.Helper()
	select {
	case a := <-b.send(c):
		return a.body, a.err
	case <-time.After(20 * time.Second):
		b.t.Fatalf("no answer to %T", c)
		return nil, nil
	}
}

func definition(t testing.TB, plan string) *schema.Definition {
	t.Helper()
	v, err := wire.Scan([]byte(plan), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (b *testbed) create(plan string) schema.Created {
	b.t.Helper()
	body, err := b.ask(command.CreatePlan{Definition: definition(b.t, plan)})
	if err != nil {
		b.t.Fatal(err)
	}
	return body.(schema.Created)
}

// results subscribes to the broadcast results.
func (b *testbed) results() *nats.Subscription {
	b.t.Helper()
	return b.subscribe("plan.result.>")
}

// subscribe subscribes, and returns when the server knows of it.
func (b *testbed) subscribe(subject string) *nats.Subscription {
	b.t.Helper()
	sub, err := b.user.SubscribeSync(subject)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.user.Flush(); err != nil {
		b.t.Fatal(err)
	}
	return sub
}

func next(t *testing.T, sub *nats.Subscription) schema.Result {
	t.Helper()
	m, err := sub.NextMsg(30 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	v, err := wire.Scan(m.Data, wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var r schema.Result
	if err := wire.DecodeLoose(v, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// worker replies to every execution of a station with the result of answer.
func (b *testbed) worker(station string, answer func(*nats.Msg) string) {
	b.t.Helper()
	nc := brokertest.Connect(b.t, b.ns)
	if _, err := nc.QueueSubscribe("station."+station, station, func(m *nats.Msg) {
		// ErrConnectionClosed is no failure, because the connection is closed at the end of the
		// test, when a reply may be under way.
		if err := m.Respond([]byte(answer(m))); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
			b.t.Error(err)
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		b.t.Fatal(err)
	}
}

func TestPlanRunsToItsEnd(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		b.worker("hello", func(m *nats.Msg) string {
			for header, want := range map[string]string{
				"Plan-Command": "proxy", "Plan-Id": "p", "Plan-Station": "hello", "Plan-Attempt": "1",
				"Content-Type": "application/json", "Plan-Title": "says  hi",
			} {
				if got := m.Header.Get(header); got != want {
					t.Errorf("%s: %q, want %q", header, got, want)
				}
			}
			return `{"state":"ok","content":"hi","worker_id":"w1"}`
		})
		results := b.results()
		created := b.create(`{"plan_id":"p","station":"hello","command":"greet","description":"says\r\nhi","plan_type":"second","plan_value":1,"plan_repet":2}`)
		if created.State != schema.StatusQueued || !created.Created || created.PlanTime.IsZero() {
			t.Errorf("created: %+v", created)
		}
		for k := range int64(2) {
			r := next(t, results)
			due := created.PlanTime.Add(time.Duration(k) * time.Second)
			if r.State != schema.StateOK || r.Occurrence != k+1 || r.RealRepet != k+1 || !r.PlanTime.Equal(due) || r.ExecTime.Before(due) || !r.Final {
				t.Errorf("result: %+v", r)
			}
		}
		if _, err := b.ask(command.GetPlan{Name: schema.PlanName{Station: "hello", PlanID: "p"}}); err == nil {
			t.Error("the plan is still there")
		}
	}, brokertest.SyncAlways)
}

// A triggered run has a key of its own, the same for every attempt, and its headers and results
// show that it was triggered.
func TestTriggeredRun(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		b.worker("hello", func(m *nats.Msg) string {
			if got := m.Header.Get("Plan-Trigger"); got != "manual" {
				t.Errorf("Plan-Trigger: %q", got)
			}
			if m.Header.Get("Plan-Attempt") == "1" {
				return `{"state":"error","delay":0.01}`
			}
			return fmt.Sprintf(`{"state":"ok","content":%q}`, m.Header.Get("Plan-Key"))
		})
		results := b.results()
		b.create(`{"plan_id":"p","station":"hello","command":"greet","plan_type":"hour","plan_value":1,"plan_repet":-1,"paused":true}`)
		name := schema.PlanName{Station: "hello", PlanID: "p"}
		body, err := b.ask(command.TriggerPlan{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if got := body.(schema.Triggered); got.N != 1 || got.State != schema.StatusPaused {
			t.Errorf("answer: %+v", got)
		}
		first := next(t, results)
		if _, err := b.ask(command.ResumePlan{Name: name}); err != nil { // the retry waits for it
			t.Fatal(err)
		}
		second := next(t, results)
		if first.N != 1 || first.Final || first.Trigger != "manual" || !strings.HasSuffix(first.Key, "/0.1") {
			t.Errorf("first: %+v", first)
		}
		if key, _ := second.Content.Text(); second.State != schema.StateOK || second.Key != first.Key || key != first.Key || second.RealRepet != 0 {
			t.Errorf("second: %+v, the worker was sent key %q", second, key)
		}
	}, brokertest.SyncAlways)
}

// A stop in the middle and a new start lose no plan, no count, and no stored result.
func TestRestartKeepsEverything(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		results := b.results()
		b.worker("hello", func(*nats.Msg) string { return `{"state":"ok"}` })
		for i := range 50 {
			b.create(fmt.Sprintf(`{"plan_id":"p%d","station":"hello","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`, i))
			b.create(fmt.Sprintf(`{"plan_id":"now%d","station":"hello","command":"c","plan_type":"none"}`, i))
		}
		for range 50 {
			next(t, results)
		}
		b.end()

		again := start(t, ns)
		body, err := again.ask(command.ListPlans{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(body.(command.PlanSlice).Plans); got != 50 {
			t.Errorf("%d plans after the restart, want 50", got)
		}
	}, brokertest.SyncAlways)
}

// A worker that appears later at a station gets the executions that waited, when its presence is
// seen.
func TestWorkerThatAppears(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		results := b.results()
		events := b.subscribe("plan.event.not_worker.>")
		b.create(`{"plan_id":"p","station":"later","command":"c","plan_type":"none"}`)
		if _, err := events.NextMsg(10 * time.Second); err != nil {
			t.Fatal(err)
		}
		b.worker("later", func(*nats.Msg) string { return `{"state":"ok"}` })
		presence, err := json.Marshal(schema.Worker{WorkerID: "w", Stations: []string{"later"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.user.Publish("$KV.workers.w", presence); err != nil {
			t.Fatal(err)
		}
		if r := next(t, results); r.State != schema.StateOK || r.N != 1 || r.Attempt != 1 {
			t.Errorf("result: %+v", r)
		}
	})
}

func TestEventsWithoutASubscriberAreNotSent(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns, func(c *scheduler.Config) {
			c.HasSubscriber = func(subject string) bool { return strings.HasSuffix(subject, ".loud") }
		})
		events := b.subscribe("plan.event.created.>")
		for _, id := range []string{"quiet", "loud"} {
			b.create(`{"plan_id":"` + id + `","station":"s","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`)
		}
		m, err := events.NextMsg(10 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if want := "plan.event.created.s.loud"; m.Subject != want {
			t.Errorf("the first event is %s, want %s", m.Subject, want)
		}
	})
}

func TestAskWithoutLeader(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		b.end()
		_, err := b.ask(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}})
		if err == nil || !strings.Contains(err.Error(), "unavailable") {
			t.Errorf("answer: %v", err)
		}
	})
}
