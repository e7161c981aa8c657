package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
	"github.com/stationmaster-io/stationmaster/internal/node"
)

// patience bounds work that should take milliseconds, on a machine that stalls now and
// then.
const patience = time.Minute

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// nats-server's cached clock exists once a process.
		goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.init.0.func1"))
}

// A site is a running installation with a gateway, each of whose answers is checked against
// the OpenAPI document.
type site struct {
	t       *testing.T
	node    *node.Node
	nats    *nats.Conn
	client  *client.Client
	gateway *gateway.Gateway
	server  *httptest.Server
	router  routers.Router
	token   string // sent with each request, unless empty
}

// newSite starts a site; change edits the gateway's configuration.
func newSite(t *testing.T, change func(*gateway.Config)) *site {
	t.Helper()
	c := node.Default()
	c.DataDir = t.TempDir()
	c.NATSListen, c.HTTPListen = "", ""
	c.HTTPWorker.Concurrency = 0 // the test is the worker
	c.Sync = time.Minute         // a test's folder need not survive a power cut
	c.Lease = 15 * time.Second   // a stall of a second changes no leader
	c.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	n, err := node.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		if err := n.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	if err := n.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, node: n, nats: connect(t, n)}
	if s.client, err = client.New(s.nats, client.Options{Timeout: patience}); err != nil {
		t.Fatal(err)
	}
	s.serve(change)
	return s
}

func connect(t *testing.T, n *node.Node) *nats.Conn {
	t.Helper()
	nc, err := n.Connect(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// serve starts the gateway.
func (s *site) serve(change func(*gateway.Config)) {
	s.t.Helper()
	asking, err := client.New(connect(s.t, s.node), client.Options{Timeout: patience})
	if err != nil {
		s.t.Fatal(err)
	}
	c := gateway.Config{Client: asking, Log: slog.New(slog.NewTextHandler(s.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if change != nil {
		change(&c)
	}
	served := gateway.New(c)
	server := httptest.NewServer(served)
	s.gateway, s.server = served, server
	s.t.Cleanup(func() {
		if err := served.Close(context.WithoutCancel(s.t.Context())); err != nil {
			s.t.Error(err)
		}
		server.Close()
	})
	s.router = s.document()
}

// document loads and checks the served OpenAPI document.
func (s *site) document() routers.Router {
	s.t.Helper()
	r, err := s.server.Client().Get(s.server.URL + "/openapi.json")
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(body)
	if err != nil {
		s.t.Fatalf("load the document: %v", err)
	}
	if err := doc.Validate(s.t.Context()); err != nil {
		s.t.Fatalf("the document: %v", err)
	}
	doc.Servers = openapi3.Servers{{URL: s.server.URL}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		s.t.Fatal(err)
	}
	return router
}

// A response is an HTTP response that was read.
type response struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// do sends a request, with headers in pairs. A body that is neither text nor nil is sent as
// JSON.
func (s *site) do(method, path string, body any, headers ...string) *response {
	s.t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		in = bytes.NewReader(data)
	}
	q, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, in)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		q.Header.Set("Authorization", "Bearer "+s.token)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	r, err := s.server.Client().Do(q)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.validate(q, r, data)
	return &response{s.t, r.StatusCode, r.Header, data}
}

// validate checks an answer against the document, and for the headers that all answers
// have.
func (s *site) validate(q *http.Request, r *http.Response, body []byte) {
	s.t.Helper()
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"} {
		if got := r.Header.Get(name); got != want {
			s.t.Errorf("%s %s: %s %q", q.Method, q.URL, name, got)
		}
	}
	if r.Header.Get("X-Request-Id") == "" {
		s.t.Errorf("%s %s: no X-Request-Id", q.Method, q.URL)
	}
	if r.StatusCode >= 400 && q.Method != http.MethodHead {
		s.problem(q, r, body)
	}
	route, params, err := s.router.FindRoute(q)
	if err != nil {
		if r.StatusCode < 400 && q.Method != http.MethodHead && q.Method != http.MethodOptions {
			s.t.Errorf("%s %s is answered, but not in the document: %v", q.Method, q.URL, err)
		}
		return
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: q, PathParams: params, Route: route},
		Status:                 r.StatusCode, Header: r.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateResponse(s.t.Context(), in); err != nil {
		s.t.Errorf("%s %s: the answer does not fit the document: %v\n%s", q.Method, q.URL, err, body)
	}
}

// problem checks that an error is a problem.
func (s *site) problem(q *http.Request, r *http.Response, body []byte) {
	s.t.Helper()
	var p struct {
		Title, Detail string
		Status        int
		Error         struct{ Code, Message string }
		Errors        []struct{ Code string }
	}
	if r.Header.Get("Content-Type") != "application/problem+json" || json.Unmarshal(body, &p) != nil ||
		p.Status != r.StatusCode || p.Title == "" || p.Detail != p.Error.Message || p.Detail == "" || p.Error.Code == "" || len(p.Errors) == 0 {
		s.t.Errorf("%s %s: %d %s is no problem: %s", q.Method, q.URL, r.StatusCode, r.Header.Get("Content-Type"), body)
	}
}

// want checks the status.
func (r *response) want(status int) *response {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// object is the body.
func (r *response) object() map[string]any {
	r.t.Helper()
	var v map[string]any
	if err := json.Unmarshal(r.body, &v); err != nil {
		r.t.Fatalf("%s: %v", r.body, err)
	}
	return v
}

// text is a member of the body that is a text.
func (r *response) text(name string) string {
	r.t.Helper()
	s, _ := r.object()[name].(string)
	return s
}

// fields are the fields that a problem names, in order.
func (r *response) fields() (fields []string) {
	r.t.Helper()
	var p struct{ Errors []struct{ Field string } }
	if err := json.Unmarshal(r.body, &p); err != nil {
		r.t.Fatalf("%s: %v", r.body, err)
	}
	for _, e := range p.Errors {
		fields = append(fields, e.Field)
	}
	return fields
}
