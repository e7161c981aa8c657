package node_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/internal/token"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// local is a configuration with an HTTP worker that may call the test's own servers.
func local(t *testing.T) node.Config {
	c := config(t)
	c.HTTPWorker.AllowPrivate = true
	return c
}

// A site is a running node, a client of it, and the results that it publishes.
type site struct {
	*node.Node
	nc      *nats.Conn
	client  *client.Client
	results *client.Feed[schema.Result]
}

func open(t *testing.T, c node.Config) *site {
	t.Helper()
	s := &site{Node: start(t, c)}
	var err error
	if s.nc, err = s.Connect(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.nc.Close)
	if s.client, err = client.New(s.nc, client.Options{Timeout: patience}); err != nil {
		t.Fatal(err)
	}
	if s.results, err = s.client.Results().Follow(schema.HTTPStation); err != nil {
		t.Fatal(err)
	}
	return s
}

// shut stops the node before the test ends.
func (s *site) shut(t *testing.T) {
	s.nc.Close()
	stop(t, s.Node)
}

// result returns the next result.
func (s *site) result(t *testing.T) *schema.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for r, err := range s.results.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatal("no result came")
	return nil
}

// create makes a plan of station http that runs once, at once, and is not tried again while
// the test lasts.
func (s *site) create(t *testing.T, id, call string, more ...func(*schema.Plan)) {
	t.Helper()
	message, err := wire.ScanAs(wire.JSON, []byte(call), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	plan := &schema.Plan{
		Station: schema.HTTPStation, PlanID: id, Command: schema.HTTPCommand, Messages: []wire.Value{message},
		Policy: schema.Policy{Retry: &schema.Retry{Strategy: schema.RetryFixed, Interval: new(schema.Seconds(3600))}},
	}
	for _, change := range more {
		change(plan)
	}
	if _, err := s.client.Plans().Create(t.Context(), *plan); err != nil {
		t.Fatal(err)
	}
}

// tokens is the installation's key, as another node of it would have it.
func (s *site) tokens(t *testing.T) token.Key {
	t.Helper()
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	leaders, err := js.KeyValue(t.Context(), "leaders")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := leaders.Get(t.Context(), "installation")
	if err != nil {
		t.Fatal(err)
	}
	var installation struct{ Key string }
	if err := json.Unmarshal(entry.Value(), &installation); err != nil {
		t.Fatal(err)
	}
	secret, err := hex.DecodeString(installation.Key)
	if err != nil {
		t.Fatal(err)
	}
	return token.New(secret)
}

// answer sends ok to the reply subject in a callback's token.
func (s *site) answer(t *testing.T, callbackToken string) schema.Ack {
	t.Helper()
	subject, err := s.tokens(t).Open(callbackToken, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.nc.Request(subject, []byte(`{"state":"ok","content":{"class":"callback","body":"done","duration_ms":0}}`), patience)
	if err != nil {
		t.Fatal(err)
	}
	var ack schema.Ack
	if err := json.Unmarshal(response.Data, &ack); err != nil {
		t.Fatal(err)
	}
	return ack
}

func web(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestHTTPCallsOfPlans(t *testing.T) {
	s := open(t, local(t))
	target := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintf(w, "%s %s %s", r.Method, r.Header.Get("X-Run-Id"), r.Header.Get("Idempotency-Key"))
	})
	s.create(t, "yes", `{"target_url":"`+target.URL+`/yes","http_method":"post"}`)
	r := s.result(t)
	o, is := schema.ReadHTTPOutcome(r)
	if r.State != schema.StateOK || !is || o.Class != schema.HTTPOK || o.Status != 200 ||
		o.Body != "POST yes.1 "+r.Key || !strings.HasPrefix(r.WorkerID, "http-") {
		t.Errorf("result %+v, outcome %+v", r, o)
	}
	s.create(t, "no", `{"target_url":"`+target.URL+`/no"}`)
	r = s.result(t)
	o, is = schema.ReadHTTPOutcome(r)
	if r.State != schema.StateError || !is || o.Class != schema.HTTPStatus || o.Status != 503 || o.Body == "" {
		t.Errorf("result %+v, outcome %+v", r, o)
	}
}

func TestPrivateTargetsAreRefusedByDefault(t *testing.T) {
	s := open(t, config(t))
	target := web(t, func(http.ResponseWriter, *http.Request) { t.Error("called") })
	s.create(t, "p", `{"target_url":"`+target.URL+`"}`)
	r := s.result(t)
	if o, _ := schema.ReadHTTPOutcome(r); r.State != schema.StateError || o.Class != schema.HTTPRefused {
		t.Errorf("result %+v, outcome %+v", r, o)
	}
}

func TestAWrongCallIsRefusedAtCreation(t *testing.T) {
	s := open(t, config(t))
	_, err := s.client.Plans().Create(t.Context(), schema.Plan{
		Station: schema.HTTPStation, Command: schema.HTTPCommand,
		Messages: []wire.Value{wire.Trust(wire.JSON, []byte(`{"target_url":"http://example.org/{{nope}}"}`))},
	})
	if err == nil || !strings.Contains(err.Error(), "messages.target_url") || !strings.Contains(err.Error(), "{{nope}}") {
		t.Errorf("got %v", err)
	}
}

func TestCancellingClosesTheConnection(t *testing.T) {
	s := open(t, local(t))
	began, gone := make(chan struct{}, 10), make(chan struct{}, 10)
	target := web(t, func(_ http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	})
	wait := func(c <-chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(patience):
			t.Fatal("the target has seen nothing")
		}
	}
	s.create(t, "p", `{"target_url":"`+target.URL+`","timeout_seconds":600}`)
	wait(began)
	if _, err := s.client.Plan(schema.HTTPStation, "p").Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	wait(gone)

	s.create(t, "q", `{"target_url":"`+target.URL+`","timeout_seconds":600}`, func(p *schema.Plan) {
		every, ever := int64(1), int64(-1)
		p.PlanType, p.PlanValue, p.PlanRepet, p.Overlap = schema.TypeSecond, &every, &ever, schema.BusyCancelPrev
	})
	wait(began)
	wait(gone) // a second later
	wait(began)
}

// asyncTarget answers 200, and sends on the tokens that it was given.
func asyncTarget(t *testing.T) (url string, tokens <-chan string) {
	given := make(chan string, 10)
	target := web(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("X-Callback-Url"), "http://127.0.0.1:") {
			t.Errorf("callback address %q", r.Header.Get("X-Callback-Url"))
		}
		given <- r.Header.Get("X-Callback-Token")
		w.WriteHeader(http.StatusAccepted)
	})
	return target.URL, given
}

// awaitState returns when the newest execution of a plan has that state.
func (s *site) awaitState(t *testing.T, id string, state schema.State) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		view, err := s.client.Plan(schema.HTTPStation, id).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if open := view.State.Open; len(open) == 1 && len(open[0].Executions) == 1 && open[0].Executions[0].State == state {
			return
		}
	}
	t.Fatalf("%s is not %s", id, state)
}

func TestACallbackEndsAnAsynchronousCallAlsoAfterARestart(t *testing.T) {
	c := local(t)
	first := open(t, c)
	url, tokens := asyncTarget(t)
	first.create(t, "p", `{"target_url":"`+url+`","exec_type":"ASYNC"}`)
	first.create(t, "q", `{"target_url":"`+url+`","exec_type":"ASYNC"}`)
	one, two := <-tokens, <-tokens
	first.awaitState(t, "p", schema.StateWaiting)
	first.awaitState(t, "q", schema.StateWaiting)
	if ack := first.answer(t, one); !ack.Accepted {
		t.Errorf("the first callback: %+v", ack)
	}
	first.shut(t)

	second := open(t, c)
	if ack := second.answer(t, two); !ack.Accepted {
		t.Errorf("the callback after a restart: %+v", ack)
	}
	r := second.result(t)
	if o, _ := schema.ReadHTTPOutcome(r); r.State != schema.StateOK || o.Class != schema.HTTPCallback || o.Body != "done" {
		t.Errorf("result %+v, outcome %+v", r, o)
	}
	if ack := second.answer(t, two); ack.Accepted {
		t.Error("a second callback was accepted")
	}
}

func TestACallbackThatDoesNotComeIsATimeout(t *testing.T) {
	s := open(t, local(t))
	url, tokens := asyncTarget(t)
	// The call's own timeout is so long that a result in time cannot be due to it.
	call := schema.HTTPCall{TargetURL: url, ExecType: schema.ExecAsync, TimeoutSeconds: new(schema.Seconds(600)), CallbackTimeoutSec: new(schema.Seconds(0.3))}
	text, err := json.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		id     string
		retry  schema.Retry
		state  schema.State
		reason schema.Reason
		late   bool // a late callback counts, because the occurrence is open
	}{
		{"again", schema.Retry{Strategy: schema.RetryFixed, Interval: new(schema.Seconds(3600))}, schema.StateTimeout, schema.ReasonExec, true},
		{"never", schema.Retry{Strategy: schema.RetryNone}, schema.StateFailure, schema.ReasonRetries, false},
	} {
		s.create(t, tt.id, string(text), func(p *schema.Plan) {
			p.ExecTimeout, p.Retry = new(call.ExecTimeout()), &tt.retry
		})
		late := <-tokens
		r := s.result(t)
		if _, is := schema.ReadHTTPOutcome(r); r.State != tt.state || r.Reason != tt.reason || is {
			t.Errorf("%s: result %+v", tt.id, r)
		}
		if took := r.EndTime.Sub(r.ExecTime); took > patience {
			t.Errorf("%s: it took %v", tt.id, took)
		}
		if ack := s.answer(t, late); ack.Accepted != tt.late {
			t.Errorf("%s: a callback that is too late: %+v", tt.id, ack)
		}
		if tt.late {
			if r := s.result(t); r.State != schema.StateOK {
				t.Errorf("%s: after a late callback %+v", tt.id, r)
			}
		}
	}
}

func TestAnAsynchronousCallThatFailsEndsAtOnce(t *testing.T) {
	s := open(t, local(t))
	target := web(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusBadRequest)
	})
	s.create(t, "p", `{"target_url":"`+target.URL+`","exec_type":"ASYNC"}`)
	r := s.result(t)
	if o, _ := schema.ReadHTTPOutcome(r); r.State != schema.StateError || o.Status != 400 {
		t.Errorf("result %+v, outcome %+v", r, o)
	}
}

func TestANodeMayMakeNoCalls(t *testing.T) {
	c := config(t)
	c.HTTPWorker.Concurrency = 0
	s := open(t, c)
	if _, err := s.nc.Request("station.http", []byte("{}"), patience); err == nil || !strings.Contains(err.Error(), "no responders") {
		t.Errorf("station http is served: %v", err)
	}
}

// A certificate signed by a private authority is trusted when the flag names that
// authority, and then only for the name in it.
func TestTheAuthorityOfTargetsIsAFile(t *testing.T) {
	target := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	target.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs the certificate, too
	target.StartTLS()
	t.Cleanup(target.Close)
	c := local(t)
	c.HTTPWorker.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	signer := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: target.Certificate().Raw})
	if err := os.WriteFile(c.HTTPWorker.CAFile, signer, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, c)
	s.create(t, "right", `{"target_url":"`+target.URL+`"}`)
	if r := s.result(t); r.State != schema.StateOK {
		t.Errorf("its own name: %s", r.Error)
	}
	s.create(t, "wrong", `{"target_url":"`+strings.Replace(target.URL, "127.0.0.1", "localhost", 1)+`"}`)
	if r := s.result(t); r.State != schema.StateError || !strings.Contains(r.Error.String(), "not localhost") {
		t.Errorf("another name: %s %s", r.State, r.Error)
	}

	for name, holds := range map[string]string{"empty": "", "none": "no certificate"} {
		bad := config(t)
		bad.HTTPWorker.CAFile = filepath.Join(t.TempDir(), name)
		if holds != "" {
			if err := os.WriteFile(bad.HTTPWorker.CAFile, []byte(holds), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := node.Start(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "http-ca-file") {
			t.Errorf("%s: %v", name, err)
			if n != nil {
				stop(t, n)
			}
		}
	}
}
