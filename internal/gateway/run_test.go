package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
	"github.com/stationmaster-io/stationmaster/internal/token"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A called is an execution that the worker of station "http" received.
type called struct {
	PlanID   string    `json:"plan_id"`
	Attempt  int64     `json:"attempt"`
	PlanTime time.Time `json:"plan_time"`
	Exec     string    `json:"exec"`
	Messages []struct {
		Headers map[string]string `json:"headers"`
	} `json:"messages"`
	reply string
}

// worker serves station "http" in place of the HTTP worker, and replies with the text that say
// returns; an empty one is no reply. The channel has the executions that it received.
func (s *site) worker(respond func(*called) string) <-chan *called {
	s.t.Helper()
	calls := make(chan *called, 100)
	sub, err := s.nats.QueueSubscribe("station.http", "http", func(m *nats.Msg) {
		x := &called{reply: m.Reply}
		if err := json.Unmarshal(m.Data, x); err != nil {
			s.t.Errorf("%s: %v", m.Data, err)
		}
		if answer := respond(x); answer != "" {
			if _, err := s.nats.Request(m.Reply, []byte(answer), patience); err != nil { // acknowledged before the call is reported
				s.t.Error(err)
			}
		}
		calls <- x
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = sub.Unsubscribe() })
	if err := s.nats.Flush(); err != nil {
		s.t.Fatal(err)
	}
	return calls
}

func always(answer string) func(*called) string { return func(*called) string { return answer } }

const (
	answeredWell = `{"state":"ok","worker_id":"w1","content":{"class":"ok","status":201,"body":"made","duration_ms":3}}`
	answeredBad  = `{"state":"error","error":{"class":"status","status":503,"message":"503 Service Unavailable","body":"down","duration_ms":3}}`
	noAnswer     = `{"state":"error","error":{"class":"timeout","message":"no answer within 15s","duration_ms":15000}}`
)

func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// trigger runs a task and returns the id of the run.
func (s *site) trigger(path string) string {
	s.t.Helper()
	r := s.do(http.MethodPost, path+"/trigger", nil).want(http.StatusAccepted)
	id := r.text("run_id")
	if got := r.header.Get("Location"); got != "/api/v1/runs/"+id {
		s.t.Errorf("Location %q of run %s", got, id)
	}
	return id
}

// ended waits for the broadcast of a run's result, which can be read by then.
func (s *site) ended(id string) map[string]any {
	s.t.Helper()
	results, err := s.client.Results().Follow(schema.HTTPStation)
	if err != nil {
		s.t.Fatal(err)
	}
	defer results.Stop()
	for range 100 {
		run := s.do(http.MethodGet, "/api/v1/runs/"+id, nil).want(http.StatusOK).object()
		if run["end_time"] != nil {
			return run
		}
		for _, err := range results.All(s.t.Context()) {
			if err != nil {
				s.t.Fatal(err)
			}
			break
		}
	}
	s.t.Fatalf("run %s does not end", id)
	return nil
}

func TestARunShowsTheOutcomeOfTheCall(t *testing.T) {
	s := newSite(t, nil)
	answer := ""
	calls := s.worker(func(*called) string { return answer })
	path := s.create(and(yearly("a"), "http_method", "post"))
	id := cronjob.ID("a")
	for i, tt := range []struct {
		answer string
		want   map[string]any
	}{
		{answeredWell, map[string]any{"status": "SUCCESS", "response_code": 201.0, "response_body": "made", "worker_id": "w1"}},
		{answeredBad, map[string]any{"status": "FAILED", "response_code": 503.0, "response_body": "down", "error": "503 Service Unavailable"}},
		{noAnswer, map[string]any{"status": "TIMEOUT", "error": "no answer within 15s"}},
		{`{"state":"ok","content":"a worker of another kind"}`, map[string]any{"status": "SUCCESS", "response_body": "a worker of another kind"}},
		{`{"state":"error","error":{"code":7}}`, map[string]any{"status": "FAILED", "error": `{"code":7}`}},
	} {
		answer = tt.answer
		runID := s.trigger(path)
		if call := next(t, calls); call.PlanID != id || call.Attempt != 1 {
			t.Errorf("called %+v", call)
		}
		got := s.ended(runID)
		for _, field := range []string{"scheduled_time", "start_time", "end_time", "duration_ms"} {
			if got[field] == nil {
				t.Errorf("run %s has no %s", runID, field)
			}
			delete(got, field)
		}
		tt.want["id"], tt.want["task_id"], tt.want["attempt"], tt.want["trigger"] = cronjob.RunID(id, int64(i+1)), id, 1.0, "manual"
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	runs := func(query string) (ids []string) {
		cursor := ""
		for {
			page := s.do(http.MethodGet, path+"/runs?limit=2"+query+cursor, nil).want(http.StatusOK).object()
			for _, run := range page["runs"].([]any) {
				ids = append(ids, strings.TrimPrefix(run.(map[string]any)["id"].(string), id+"."))
			}
			if page["next"] == nil {
				return ids
			}
			cursor = "&cursor=" + page["next"].(string)
		}
	}
	if diff := cmp.Diff([]string{"5", "4", "3", "2", "1"}, runs("")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"5", "2"}, runs("&status=failed")); diff != "" {
		t.Error(diff)
	}
	s.do(http.MethodGet, path+"/runs?status=nope", nil).want(http.StatusBadRequest)
	s.do(http.MethodGet, path+"/runs?cursor=nope", nil).want(http.StatusBadRequest)

	// Runs outlive their task.
	s.do(http.MethodDelete, path, nil).want(http.StatusNoContent)
	if diff := cmp.Diff([]string{"5", "4", "3", "2", "1"}, runs("")); diff != "" {
		t.Error(diff)
	}
	s.do(http.MethodGet, "/api/v1/runs/"+id+".1", nil).want(http.StatusOK)
	for _, none := range []string{"/api/v1/tasks/nobody/runs", "/api/v1/tasks/a.b/runs", "/api/v1/runs/" + id + ".99", "/api/v1/runs/x", "/api/v1/runs/x.01", "/api/v1/runs/x.-1"} {
		s.do(http.MethodGet, none, nil).want(http.StatusNotFound)
	}
}

// A run that is due by the clock is marked so, and is a run like any other.
func TestARunByCron(t *testing.T) {
	s := newSite(t, nil)
	calls := s.worker(always(answeredWell))
	path := s.create(and(yearly("a"), "cron_expr", "* * * * * *"))
	call := next(t, calls)
	// It is not the first on a machine that stalled, because occurrences in between were
	// skipped.
	number, _, _ := strings.Cut(call.Exec, "-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	run := s.ended(cronjob.RunID(call.PlanID, n))
	if run["trigger"] != "cron" || run["scheduled_time"] != call.PlanTime.Format(time.RFC3339) {
		t.Errorf("%v, due %v", run, call.PlanTime)
	}
	s.do(http.MethodPost, path+"/disable", nil).want(http.StatusOK)
}

func TestAnOccurrenceSkippedByAPolicyIsARun(t *testing.T) {
	s := newSite(t, nil)
	calls := s.worker(always(`{"state":"running"}`))
	path := s.create(and(yearly("a"), "overlap_action", "SKIP"))
	first := s.trigger(path)
	next(t, calls)
	second := s.trigger(path)
	got := s.ended(second)
	if got["status"] != "SKIPPED" || got["skip_reason"] != "OVERLAP" || got["start_time"] != nil {
		t.Errorf("%v", got)
	}
	if got := s.do(http.MethodGet, "/api/v1/runs/"+first, nil).object(); got["status"] != "RUNNING" || got["end_time"] != nil {
		t.Errorf("%v", got)
	}
	cancelled := s.do(http.MethodPost, "/api/v1/runs/"+first+"/cancel", nil).want(http.StatusOK)
	if cancelled.text("status") != "CANCELED" {
		t.Errorf("%s", cancelled.body)
	}
	s.do(http.MethodPost, "/api/v1/runs/"+first+"/cancel", nil).want(http.StatusConflict)
	s.do(http.MethodPost, "/api/v1/runs/nothing.1/cancel", nil).want(http.StatusNotFound)
}

func TestALimitSkipsOrQueues(t *testing.T) {
	s := newSite(t, nil)
	calls := s.worker(always(`{"state":"running"}`))
	path := s.create(and(yearly("a"), "max_concurrency", 1, "concurrency_policy", "SKIP"))
	first := s.trigger(path)
	next(t, calls)
	if got := s.ended(s.trigger(path)); got["status"] != "SKIPPED" || got["skip_reason"] != "CONCURRENCY" {
		t.Errorf("%v", got)
	}
	s.do(http.MethodPut, path, map[string]any{"concurrency_policy": "QUEUE"}).want(http.StatusOK)
	third := s.trigger(path)
	if got := s.do(http.MethodGet, "/api/v1/runs/"+third, nil).text("status"); got != "SCHEDULED" {
		t.Errorf("the third is %s", got)
	}
	s.do(http.MethodPost, "/api/v1/runs/"+first+"/cancel", nil).want(http.StatusOK)
	next(t, calls)
	s.do(http.MethodPut, path, map[string]any{"max_concurrency": nil}).want(http.StatusOK)
}

// The seed, 8: SKIP skips once, and the next attempt is two more.
func TestAfterAFailure(t *testing.T) {
	s := newSite(t, nil)
	calls := s.worker(always(answeredBad))
	path := s.create(and(yearly("a"), "cron_expr", "* * * * * *", "failure_action", "SKIP"))
	first, second := next(t, calls), next(t, calls)
	if first.Attempt != 1 || second.Attempt != 3 {
		t.Errorf("attempts %d and %d", first.Attempt, second.Attempt)
	}
	runs := s.do(http.MethodGet, path+"/runs?status=SKIPPED", nil).want(http.StatusOK).object()["runs"].([]any)
	if len(runs) == 0 || runs[0].(map[string]any)["skip_reason"] != "FAILURE" {
		t.Errorf("skipped: %v", runs)
	}
}

// A run that waits because of its overlap is scheduled.
func TestARunThatWaitsItsTurnIsScheduled(t *testing.T) {
	s := newSite(t, nil)
	calls := s.worker(always(`{"state":"running"}`))
	path := s.create(and(yearly("a"), "overlap_action", "QUEUE"))
	first := s.trigger(path)
	next(t, calls)
	second := s.trigger(path)
	if got := s.do(http.MethodGet, "/api/v1/runs/"+second, nil).text("status"); got != "SCHEDULED" {
		t.Errorf("the second is %s", got)
	}
	s.do(http.MethodPost, "/api/v1/runs/"+first+"/cancel", nil).want(http.StatusOK)
	if call := next(t, calls); cronjob.RunID(call.PlanID, 2) != second {
		t.Errorf("called %+v", call)
	}
}

// openTokens are callback tokens that are the reply subjects themselves.
type openTokens struct{}

func (openTokens) Open(given string, now time.Time) (string, error) {
	switch {
	case given == "late":
		return "", token.ErrExpired
	case strings.HasPrefix(given, "plan.reply."):
		return given, nil
	default:
		return "", errors.New("no token")
	}
}

func TestACallbackEndsARun(t *testing.T) {
	s := newSite(t, func(c *gateway.Config) { c.Callbacks = openTokens{} })
	calls := s.worker(always(`{"state":"waiting","extend":300}`))
	path := s.create(and(yearly("a"), "exec_type", "ASYNC"))
	begin := func() (runID, token string) {
		runID = s.trigger(path)
		return runID, next(t, calls).reply
	}
	answer := func(runID, token, body string) *response {
		return s.do(http.MethodPost, "/api/v1/callbacks/"+runID, body, "X-Callback-Token", token)
	}

	runID, token := begin()
	if got := s.do(http.MethodGet, "/api/v1/runs/"+runID, nil).text("status"); got != "RUNNING" {
		t.Errorf("while it waits it is %s", got)
	}
	s.do(http.MethodPost, "/api/v1/callbacks/"+runID, `{"status":"SUCCESS"}`).want(http.StatusUnauthorized)
	answer(runID, "wrong", `{"status":"SUCCESS"}`).want(http.StatusForbidden)
	answer(runID, "plan.reply.no.subject", `{"status":"SUCCESS"}`).want(http.StatusForbidden)
	answer(runID, "late", `{"status":"SUCCESS"}`).want(http.StatusGone)
	answer(runID+"0", token, `{"status":"SUCCESS"}`).want(http.StatusForbidden)
	for _, bad := range []string{`{}`, `{"status":"DONE"}`, `{"status":7}`, `{"status":"SUCCESS","more":1}`, `[]`, `{`} {
		answer(runID, token, bad).want(http.StatusBadRequest)
	}
	answer(runID, token, `{"status":"success","result":{"rows":3}}`).want(http.StatusOK)
	if got := s.ended(runID); got["status"] != "SUCCESS" || got["response_body"] != `{"rows":3}` {
		t.Errorf("%v", got)
	}
	answer(runID, token, `{"status":"SUCCESS"}`).want(http.StatusConflict)

	runID, token = begin()
	s.do(http.MethodPost, "/api/v1/callbacks/"+runID+"?token="+strings.ReplaceAll(token, "*", "%2A"), `{"status":"FAILED","message":"no disk","result":"half"}`).want(http.StatusOK)
	if got := s.ended(runID); got["status"] != "FAILED" || got["error"] != "no disk" || got["response_body"] != "half" {
		t.Errorf("%v", got)
	}
}

// Callbacks have slots of their own, and no address has all of them, because they come
// without a bearer token.
func TestNoAddressHasAllSlotsOfCallbacks(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) { // a request beyond the limit may wait for its turn
		nc := brokertest.Connect(t, ns)
		asked := make(chan *nats.Msg, 100)
		if _, err := nc.ChanSubscribe("plan.reply.>", asked); err != nil {
			t.Fatal(err)
		}
		asking, err := client.New(nc, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		served := gateway.New(gateway.Config{Client: asking, Callbacks: openTokens{}, MaxRequests: 1, Log: slog.New(slog.DiscardHandler)})
		call := func(address string) (*httptest.ResponseRecorder, <-chan struct{}) {
			q := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/callbacks/p.1", strings.NewReader(`{"status":"SUCCESS"}`))
			q.RemoteAddr = address
			q.Header.Set("X-Callback-Token", "plan.reply.0.http.*p.1-0123456789abcdef")
			w, done := httptest.NewRecorder(), make(chan struct{})
			go func() {
				defer close(done)
				served.ServeHTTP(w, q)
			}()
			return w, done
		}
		var waiting []*nats.Msg
		var answered []<-chan struct{}
		for _, address := range []string{"[2001:db8::1]:1", "192.0.2.1:1"} {
			for range gateway.OpenSlotsEach {
				_, done := call(address)
				waiting, answered = append(waiting, <-asked), append(answered, done)
			}
		}
		for _, address := range []string{"[2001:db8::2]:1", "192.0.2.1:2"} { // of the same network, and the same
			w, done := call(address)
			if <-done; w.Code != http.StatusServiceUnavailable {
				t.Errorf("one of %s more than it may: %d %s", address, w.Code, w.Body)
			}
		}
		w, done := call("192.0.2.2:1")
		waiting, answered = append(waiting, <-asked), append(answered, done)
		for i, m := range waiting {
			if err := m.Respond([]byte(`{"accepted":true}`)); err != nil {
				t.Fatal(err)
			}
			<-answered[i]
		}
		if w.Code != http.StatusOK {
			t.Errorf("of another address: %d %s", w.Code, w.Body)
		}
		if err := served.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

func TestACallbackWithoutAReceiver(t *testing.T) {
	s := newSite(t, nil) // without a key
	s.do(http.MethodPost, "/api/v1/callbacks/x.1", `{"status":"SUCCESS"}`, "X-Callback-Token", "x").want(http.StatusForbidden)
}
