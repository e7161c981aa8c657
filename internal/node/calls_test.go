package node_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// silence is a server that accepts connections and sends nothing.
func silence(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		var conns []net.Conn
		defer func() {
			for _, c := range conns {
				c.Close()
			}
		}()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
		}
	}()
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String()
}

// awaitMetric returns when a metric has the wanted value.
func (s *site) awaitMetric(t *testing.T, want float64, name string, labels ...string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var got float64
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if got = metricsOf(t, s.Node).of(name, labels...); got == want {
			return
		}
	}
	t.Fatalf("%s %v is %v, want %v", name, labels, got, want)
}

// Targets that never answer, on several ports and in any spelling of their host, use up only the
// calls of their own tenant. Other targets are called at once, queues are delivered, and
// callbacks are. An execution that waits for a free call is waiting, not running.
func TestTargetsThatNeverAnswerHoldUpNoOthers(t *testing.T) {
	c := local(t)
	c.HTTPWorker.Concurrency = 32
	s := open(t, c)
	asked := make(chan string, 100)
	honest := web(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- r.URL.Path + " " + string(body)
	})
	await := func(want string) {
		t.Helper()
		select {
		case got := <-asked:
			if !strings.HasPrefix(got, want) {
				t.Errorf("asked for %s, want %s", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("%s was not called", want)
		}
	}
	const held, waits = 12, 28
	tenant := func(id string) func(*schema.Plan) { return func(p *schema.Plan) { p.TenantID = id } }
	silent := silence(t)
	for i := range held + waits {
		if i%10 == 0 {
			silent = silence(t)
		}
		url := strings.Replace(silent, "127.0.0.1", []string{"localhost", "LOCALHOST", "Localhost", "127.0.0.1"}[i%4], 1)
		s.create(t, fmt.Sprintf("silent-%d", i), `{"target_url":"`+url+`","timeout_seconds":900}`, tenant("mallory"))
	}
	s.awaitMetric(t, held, "http_calls_under_way", "kind", "plan")
	s.awaitMetric(t, waits, "http_calls_waiting", "kind", "plan")
	states := map[schema.State]int{}
	s.awaitStates(t, map[schema.State]int{schema.StateRunning: held, schema.StateWaiting: waits}, states)

	s.create(t, "honest", `{"target_url":"`+honest.URL+`/honest"}`, tenant("alice"))
	await("/honest")
	if r := s.result(t); r.PlanID != "honest" || r.State != schema.StateOK {
		t.Errorf("result %+v", r)
	}
	if _, err := s.client.Queue("k").Push(t.Context(), schema.QueuePush{
		Task: wire.Text(wire.JSON, "item"), Method: "POST", Service: honest.URL + "/queue",
	}); err != nil {
		t.Fatal(err)
	}
	await(`/queue ["item"]`)
	if _, err := s.client.Stations().Put(t.Context(), schema.Station{Station: "order", Callback: &schema.Callback{
		Success: &schema.CallbackTarget{URL: honest.URL + "/callback"},
	}}); err != nil {
		t.Fatal(err)
	}
	sub, err := s.nc.QueueSubscribe("station.order", "order", func(m *nats.Msg) { _ = m.Respond([]byte(`{"state":"ok"}`)) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if _, err := s.client.Plans().Create(t.Context(), schema.Plan{Station: "order", PlanID: "o", Command: "c"}); err != nil {
		t.Fatal(err)
	}
	await("/callback ")

	// A waiting call begins when another ends, because the worker cancels that here.
	for i := range held + waits {
		if _, err := s.client.Plan(schema.HTTPStation, fmt.Sprintf("silent-%d", i)).Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.awaitMetric(t, 0, "http_calls_under_way", "kind", "plan")
	s.awaitMetric(t, 0, "http_calls_waiting", "kind", "plan")
}

// awaitStates returns when the executions of station http have the wanted states.
func (s *site) awaitStates(t *testing.T, want, got map[schema.State]int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for ctx.Err() == nil {
		clear(got)
		page, err := s.client.Plans().List(ctx, schema.ListPlans{Station: schema.HTTPStation, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, view := range page.Plans {
			for _, o := range view.State.Open {
				for _, x := range o.Executions {
					got[x.State]++
				}
			}
		}
		if maps.Equal(got, want) {
			return
		}
	}
	t.Fatalf("executions are %v, want %v", got, want)
}

// A plan with a call timeout above this node's limit is refused when it is created; an
// asynchronous one may wait for any time.
func TestACallMayNotTakeTooLong(t *testing.T) {
	c := local(t)
	c.HTTPWorker.LongestCall = 2 * time.Second
	s := open(t, c)
	message := func(text string) []wire.Value { return []wire.Value{wire.Trust(wire.JSON, []byte(text))} }
	_, err := s.client.Plans().Create(t.Context(), schema.Plan{
		Station: schema.HTTPStation, Command: schema.HTTPCommand,
		Messages: message(`{"target_url":"http://example.org/","timeout_seconds":3}`),
	})
	if err == nil || !strings.Contains(err.Error(), "--http-longest-call") || !strings.Contains(err.Error(), "timeout_seconds") {
		t.Errorf("got %v", err)
	}
	url, tokens := asyncTarget(t)
	s.create(t, "p", `{"target_url":"`+url+`","exec_type":"ASYNC","timeout_seconds":2,"callback_timeout_sec":86400}`)
	<-tokens
}
