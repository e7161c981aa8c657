package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

func TestMissingObjects(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{"/", "/api", "/api/v1", "/api/v1/nothing", "/api/v1/tasks/", "/api/v1/tasks/a/b", "/api/v1/runs/", "/api/v1/plans/s"} {
		s.do(http.MethodGet, path, nil).want(http.StatusNotFound)
	}
}

func TestAMethodThatIsNotDone(t *testing.T) {
	s := newSite(t, nil)
	for _, tt := range []struct{ method, path, allow string }{
		{http.MethodDelete, "/api/v1/tasks", "GET, HEAD, POST, OPTIONS"},
		{http.MethodPost, "/api/v1/tasks/a", "DELETE, GET, HEAD, PATCH, PUT, OPTIONS"},
		{http.MethodGet, "/api/v1/tasks/a/trigger", "POST, OPTIONS"}, // no GET has an effect
		{http.MethodGet, "/api/v1/tasks/a/enable", "POST, OPTIONS"},
		{http.MethodGet, "/api/v1/plans/s/p/pause", "POST, OPTIONS"},
		{http.MethodGet, "/api/v1/callbacks/a.1", "POST, OPTIONS"},
		{http.MethodPost, "/api/v1/events", "GET, HEAD, OPTIONS"},
	} {
		if got := s.do(tt.method, tt.path, nil).want(http.StatusMethodNotAllowed).header.Get("Allow"); got != tt.allow {
			t.Errorf("%s %s allows %q, want %q", tt.method, tt.path, got, tt.allow)
		}
		if got := s.do(http.MethodOptions, tt.path, nil).want(http.StatusNoContent).header.Get("Allow"); got != tt.allow {
			t.Errorf("OPTIONS %s allows %q, want %q", tt.path, got, tt.allow)
		}
	}
}

func TestABodyThatIsNone(t *testing.T) {
	s := newSite(t, nil)
	task := `{"name":"a","cron_expr":"0 0 1 1 *","target_url":"http://x/"}`
	for _, tt := range []struct {
		name, body, kind string
		status           int
	}{
		{"nothing", "", "application/json", 400},
		{"half", `{"name":`, "application/json", 400},
		{"a list", `[]`, "application/json", 400},
		{"more behind it", task + "{}", "application/json", 400},
		{"a name twice", `{"name":"a","name":"b"}`, "application/json", 400},
		{"no UTF-8", "{\"name\":\"\xff\"}", "application/json", 400},
		{"a number without end", `{"timeout_seconds":1e999}`, "application/json", 400},
		{"too deep", strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), "application/json", 400},
		{"a form", task, "application/x-www-form-urlencoded", 415},
		{"a text", task, "text/plain", 415},
		{"a kind that is none", task, ";;", 415},
		{"JSON in another encoding", task, "application/json; charset=utf-16", 415},
		{"too large", `{"body_template":"` + strings.Repeat("x", 1<<20) + `"}`, "application/json", 413},
		{"too large for a plan", `{"name":"a","cron_expr":"0 0 1 1 *","target_url":"http://x/","body_template":"` + strings.Repeat("x", 600<<10) + `"}`, "application/json", 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := *s
			s.t = t
			s.do(http.MethodPost, "/api/v1/tasks", tt.body, "Content-Type", tt.kind).want(tt.status)
		})
	}
	s.do(http.MethodPost, "/api/v1/tasks", task, "Content-Type", "application/json; charset=UTF-8").want(http.StatusCreated)
}

func TestAnAnswerThatIsThereAlready(t *testing.T) {
	s := newSite(t, nil)
	path := s.create(yearly("a"))
	for _, path := range []string{path, "/api/v1/tasks", "/api/v1/plans/http/" + strings.TrimPrefix(path, "/api/v1/tasks/"), "/api/v1/stations", "/openapi.json"} {
		tag := s.do(http.MethodGet, path, nil).want(http.StatusOK).header.Get("ETag")
		if got := s.do(http.MethodGet, path, nil, "If-None-Match", `"x", W/`+tag).want(http.StatusNotModified); len(got.body) > 0 || got.header.Get("ETag") != tag {
			t.Errorf("%s: %q %v", path, got.body, got.header)
		}
		s.do(http.MethodGet, path, nil, "If-None-Match", `"x"`).want(http.StatusOK)
		if got := s.do(http.MethodHead, path, nil).want(http.StatusOK); len(got.body) > 0 || got.header.Get("ETag") != tag {
			t.Errorf("HEAD %s: %q %v", path, got.body, got.header)
		}
	}
	before := s.do(http.MethodGet, path, nil).header.Get("ETag")
	s.do(http.MethodPost, path+"/disable", nil).want(http.StatusOK)
	if after := s.do(http.MethodGet, path, nil).header.Get("ETag"); after == before {
		t.Error("a disabled task has the tag of an enabled one")
	}
}

// A tag and a revision of 0 leave a later plan of the same name alone, because it begins at
// revision 1 again.
func TestATagIsOfOnePlan(t *testing.T) {
	for path, create := range map[string]func(*site, string){
		"/api/v1/plans/hello/r1": func(s *site, about string) {
			s.do(http.MethodPost, "/api/v1/plans", map[string]any{
				"station": "hello", "plan_id": "r1", "command": "c", "plan_type": "cron", "cron": "@yearly", "description": about,
			}).want(http.StatusCreated)
		},
		"/api/v1/tasks/nightly": func(s *site, about string) {
			s.do(http.MethodPost, "/api/v1/tasks", map[string]any{
				"name": "nightly", "cron_expr": "0 3 1 1 *", "http_method": "GET", "target_url": "http://127.0.0.1:1/", "description": about,
			}).want(http.StatusCreated)
		},
	} {
		t.Run(path, func(t *testing.T) {
			s := newSite(t, nil)
			create(s, "first")
			old := s.do(http.MethodGet, path, nil).want(http.StatusOK).header.Get("ETag")
			s.do(http.MethodDelete, path, nil, "If-Match", old)
			create(s, "second")
			for _, stale := range []string{old, "", `"1-abcdefghijklmnop"`, `"1"`, old + ", " + old} {
				s.do(http.MethodDelete, path, nil, "If-Match", stale).want(http.StatusPreconditionFailed)
				s.do(http.MethodPatch, path, map[string]any{"description": "third"}, "If-Match", stale).want(http.StatusPreconditionFailed)
			}
			s.do(http.MethodDelete, path, map[string]any{"revision": 0, "version": 0}).want(http.StatusBadRequest) // one of them is no member here
			for _, member := range []string{"revision", "version"} {
				if got := s.do(http.MethodDelete, path, map[string]any{member: 0}); got.status != http.StatusConflict && got.status != http.StatusBadRequest {
					t.Errorf("%s 0: %d %s", member, got.status, got.body)
				}
			}
			present := s.do(http.MethodGet, path, nil).want(http.StatusOK)
			if !strings.Contains(string(present.body), "second") {
				t.Fatalf("%s", present.body)
			}
			s.do(http.MethodPatch, path, map[string]any{"description": "third"}, "If-Match", present.header.Get("ETag")).want(http.StatusOK)
			present = s.do(http.MethodGet, path, nil)
			if got := s.do(http.MethodDelete, path, nil, "If-Match", present.header.Get("ETag")); got.status/100 != 2 {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

// A delete under If-Match deletes only the state that the caller has read, and a condition
// that would be ignored is refused.
func TestDeletingOnlyWhatIsUnchanged(t *testing.T) {
	s := newSite(t, nil)
	created := s.do(http.MethodPost, "/api/v1/tasks", yearly("a")).want(http.StatusCreated)
	task := "/api/v1/tasks/" + created.text("id")
	if tag := s.do(http.MethodGet, task, nil).header.Get("ETag"); created.header.Get("ETag") != tag {
		t.Errorf("POST has the tag %s, GET %s", created.header.Get("ETag"), tag)
	}
	s.do(http.MethodPost, "/api/v1/plans", map[string]any{"station": "s", "plan_id": "p", "command": "c", "plan_type": "cron", "cron": "0 0 1 1 *"}).want(http.StatusCreated)
	for _, path := range []string{task, "/api/v1/plans/s/p"} {
		old := s.do(http.MethodGet, path, nil).header.Get("ETag")
		s.do(http.MethodPatch, path, map[string]any{"description": "changed"}).want(http.StatusOK)
		s.do(http.MethodDelete, path, nil, "If-Match", old).want(http.StatusPreconditionFailed)
		present := s.do(http.MethodGet, path, nil).want(http.StatusOK).header.Get("ETag")
		s.do(http.MethodPost, path+"/trigger", nil, "If-Match", present).want(http.StatusPreconditionFailed)
		s.do(http.MethodPatch, path, map[string]any{"description": "over it"}, "If-None-Match", "*").want(http.StatusPreconditionFailed)
		if got := s.do(http.MethodDelete, path, nil, "If-Match", present); got.status/100 != 2 {
			t.Errorf("%s: %d", path, got.status)
		}
		s.do(http.MethodGet, path, nil).want(http.StatusNotFound)
	}
}

func TestARequestHasAnId(t *testing.T) {
	s := newSite(t, nil)
	if got := s.do(http.MethodGet, "/api/v1/tasks", nil, "X-Request-Id", "mine-1").header.Get("X-Request-Id"); got != "mine-1" {
		t.Errorf("given, it is %q", got)
	}
	made := s.do(http.MethodGet, "/api/v1/nothing", nil, "X-Request-Id", strings.Repeat("x", 200))
	if id := made.header.Get("X-Request-Id"); len(id) > 128 || made.text("request_id") != id {
		t.Errorf("made, it is %q, and %q in the problem", id, made.text("request_id"))
	}
}

// The log has each request's id, and the trace that it is part of.
func TestTheLogNamesTheTraceOfARequest(t *testing.T) {
	var log strings.Builder
	var lock sync.Mutex
	s := newSite(t, func(c *gateway.Config) {
		c.Log = slog.New(slog.NewTextHandler(locked{&lock, &log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	const trace = "0af7651916cd43dd8448eb211c80319c"
	s.do(http.MethodGet, "/api/v1/tasks", nil, "X-Request-Id", "mine-1", "Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
	s.do(http.MethodGet, "/api/v1/tasks", nil, "X-Request-Id", "mine-2", "Traceparent", "nonsense")
	s.server.Close() // every request has been logged
	lock.Lock()
	defer lock.Unlock()
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "mine-1") && !strings.Contains(line, "trace_id="+trace) || strings.Contains(line, "mine-2") && strings.Contains(line, "trace") {
			t.Error(line)
		}
	}
	if !strings.Contains(log.String(), "mine-1") || !strings.Contains(log.String(), "mine-2") {
		t.Errorf("the log has no ids: %s", log.String())
	}
}

// locked lets several goroutines write.
type locked struct {
	*sync.Mutex
	to io.Writer
}

func (l locked) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.to.Write(b)
}

// Without tokens only this machine is allowed, and no proxy that speaks for another.
func TestWithoutTokensOnlyThisMachineMayAsk(t *testing.T) {
	s := newSite(t, nil)
	for _, tt := range []struct {
		name, from, host string
		header           []string
		status           int
	}{
		{"here", "127.0.0.1:5000", "127.0.0.1:8080", nil, 200},
		{"here, by name", "[::1]:5000", "localhost:8080", nil, 200},
		{"elsewhere", "192.0.2.7:5000", "127.0.0.1:8080", nil, 401},
		{"through a proxy", "127.0.0.1:5000", "127.0.0.1:8080", []string{"X-Forwarded-For", "192.0.2.7"}, 401},
		{"through a proxy that names the host", "127.0.0.1:5000", "127.0.0.1:8080", []string{"X-Forwarded-Host", "example.org"}, 401},
		{"through a proxy that names the port", "127.0.0.1:5000", "127.0.0.1:8080", []string{"X-Forwarded-Port", "443"}, 401},
		{"through a proxy that is one of a network's", "127.0.0.1:5000", "127.0.0.1:8080", []string{"CF-Connecting-IP", "192.0.2.7"}, 401},
		{"through a proxy that names nothing", "127.0.0.1:5000", "127.0.0.1:8080", []string{"X-Client-IP", ""}, 401},
		{"through a proxy that names the scheme", "127.0.0.1:5000", "127.0.0.1:8080", []string{"X-Forwarded-Proto", "https"}, 401},
		{"a name that was resolved to us", "127.0.0.1:5000", "evil.example:8080", nil, 403},
	} {
		q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/tasks", nil)
		q.RemoteAddr, q.Host = tt.from, tt.host
		for i := 0; i < len(tt.header); i += 2 {
			q.Header.Set(tt.header[i], tt.header[i+1])
		}
		w := httptest.NewRecorder()
		s.gateway.ServeHTTP(w, q)
		if w.Code != tt.status {
			t.Errorf("%s: %d %s", tt.name, w.Code, w.Body)
		}
	}
	// A page of another origin, in a browser on this machine.
	s.do(http.MethodPost, "/api/v1/tasks", yearly("a"), "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden)
	if got := s.do(http.MethodGet, "/api/v1/tasks", nil, "Origin", "https://evil.example").header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("Access-Control-Allow-Origin %q", got)
	}
}

func TestTokens(t *testing.T) {
	const looks, does = "a-token-that-looks", "a-token-that-does"
	tokens, err := gateway.ReadTokens(strings.NewReader("# who may ask\n\n" + looks + " reader\n  " + does + "\toperator\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *gateway.Config) { c.Tokens = tokens })
	for _, tt := range []struct {
		authorization string
		get, post     int
	}{
		{"", 401, 401},
		{"Bearer", 401, 401},
		{"Bearer " + looks + "x", 401, 401},
		{"Basic " + does, 401, 401},
		{"Bearer " + looks, 200, 403},
		{"bearer " + does, 200, 201},
	} {
		got := s.do(http.MethodGet, "/api/v1/tasks", nil, "Authorization", tt.authorization).want(tt.get)
		if challenge := got.header.Get("WWW-Authenticate"); (tt.get == 401) != (challenge != "") {
			t.Errorf("%q: WWW-Authenticate %q", tt.authorization, challenge)
		}
		s.do(http.MethodPost, "/api/v1/tasks", yearly("a"), "Authorization", tt.authorization).want(tt.post)
		s.do(http.MethodGet, "/openapi.json", nil, "Authorization", tt.authorization).want(200)
	}
	// A preview only reads; a callback has a token of its own.
	preview := map[string]any{"plan": map[string]any{"plan_type": "cron", "cron": "* * * * *"}}
	s.do(http.MethodPost, "/api/v1/plans/preview", preview, "Authorization", "Bearer "+looks).want(200)
	s.do(http.MethodPost, "/api/v1/callbacks/a.1", `{"status":"SUCCESS"}`, "X-Callback-Token", "x").want(403)
}

func TestATokenFileThatIsWrong(t *testing.T) {
	for _, text := range []string{
		"", "# nobody\n", "a-token-of-some-length\n", "a-token-of-some-length admin\n", "short reader\n", "a token of words reader\n",
	} {
		if _, err := gateway.ReadTokens(strings.NewReader(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	for _, roles := range [][2]string{{"operator", "reader"}, {"reader", "operator"}, {"reader", "reader"}} {
		text := "# ours\na-token-of-some-length " + roles[0] + "\n\nanother-token-of-some-length reader\na-token-of-some-length " + roles[1] + "\n"
		if _, err := gateway.ReadTokens(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "line 5 has the token of line 2 again") {
			t.Errorf("a token that is there as %v: %v", roles, err)
		}
	}
}

// A slowService reports each plans.list and plans.runs, and answers them on demand.
type slowService struct{ asked, answer chan struct{} }

// serveSlowly has one behind a gateway that serves one request at a time.
func serveSlowly(t *testing.T, ns *server.Server) (*gateway.Gateway, *slowService) {
	t.Helper()
	nc := brokertest.Connect(t, ns)
	slow := &slowService{make(chan struct{}, 10), make(chan struct{})}
	for subject, body := range map[string]string{"plans.list": `{"plans":[]}`, "plans.runs": `{"runs":[]}`} {
		_, err := nc.Subscribe(subject, func(m *nats.Msg) {
			go func() {
				slow.asked <- struct{}{}
				<-slow.answer
				_ = m.Respond([]byte(body))
			}()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	asking, err := client.New(nc, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return gateway.New(gateway.Config{Client: asking, MaxRequests: 1, Log: slog.New(slog.DiscardHandler)}), slow
}

// ask requests a list of plans in the background.
func ask(ctx context.Context, served *gateway.Gateway, w http.ResponseWriter) <-chan struct{} {
	return askFor(ctx, served, w, "/api/v1/plans")
}

func askFor(ctx context.Context, served *gateway.Gateway, w http.ResponseWriter, path string) <-chan struct{} {
	q := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	q.RemoteAddr, q.Host = "127.0.0.1:1", "127.0.0.1"
	done := make(chan struct{})
	go func() {
		defer close(done)
		served.ServeHTTP(w, q)
	}()
	return done
}

// Two searches of results are under way at a time; they keep no other request out, and others wait.
func TestSearchesHaveSlotsOfTheirOwn(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		served, slow := serveSlowly(t, ns)
		var searches []<-chan struct{}
		for range 3 {
			searches = append(searches, askFor(t.Context(), served, httptest.NewRecorder(), "/api/v1/runs"))
		}
		<-slow.asked
		<-slow.asked
		synctest.Wait()
		if len(slow.asked) != 0 {
			t.Error("three searches are under way at a time")
		}
		plans := httptest.NewRecorder()
		list := ask(t.Context(), served, plans)
		<-slow.asked
		close(slow.answer)
		for _, done := range append(searches, list) {
			<-done
		}
		if plans.Code != http.StatusOK {
			t.Errorf("a list beside searches is answered %d %s", plans.Code, plans.Body)
		}
	})
}

func TestNoMoreRequestsThanAreServedAtATime(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) { // one waits for a second
		served, slow := serveSlowly(t, ns)
		first, second := httptest.NewRecorder(), httptest.NewRecorder()
		done := ask(t.Context(), served, first)
		<-slow.asked
		<-ask(t.Context(), served, second)
		if second.Code != http.StatusServiceUnavailable || second.Header().Get("Retry-After") != "1" || !strings.Contains(second.Body.String(), `"retry_after_ms":1000`) {
			t.Errorf("the one that was too many: %d %s", second.Code, second.Body)
		}
		close(slow.answer)
		<-done
		if first.Code != http.StatusOK {
			t.Errorf("the first: %d %s", first.Code, first.Body)
		}
		third := httptest.NewRecorder()
		if <-ask(t.Context(), served, third); third.Code != http.StatusOK {
			t.Errorf("when there is a place again: %d %s", third.Code, third.Body)
		}
		if err := served.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

func TestARequestWaitsForItsTurn(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) { // it waits for a second
		served, slow := serveSlowly(t, ns)
		done := ask(t.Context(), served, httptest.NewRecorder())
		<-slow.asked
		patient, w := &patientContext{Context: t.Context(), waits: make(chan struct{})}, httptest.NewRecorder()
		got := ask(patient, served, w)
		<-patient.waits
		close(slow.answer)
		<-got
		<-done
		if w.Code != http.StatusOK {
			t.Errorf("the one that waited: %d %s", w.Code, w.Body)
		}
		if err := served.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

func TestWithoutASchedulerTheServicesAreUnavailable(t *testing.T) {
	s := newSite(t, nil)
	impatient, err := client.New(connect(t, s.node), client.Options{Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s.serve(func(c *gateway.Config) { c.Client = impatient })
	if err := s.node.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := s.do(http.MethodGet, "/api/v1/tasks", nil).want(http.StatusServiceUnavailable)
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.do(http.MethodGet, "/api/v1/events", nil).want(http.StatusServiceUnavailable)
}

// A patientContext reports when its Done channel is first awaited.
type patientContext struct {
	context.Context
	once  sync.Once
	waits chan struct{}
}

func (c *patientContext) Done() <-chan struct{} {
	c.once.Do(func() { close(c.waits) })
	return c.Context.Done()
}

// brokenTokens are a defect of the gateway.
type brokenTokens struct{}

func (brokenTokens) Open(string, time.Time) (string, error) { panic("planted") }

// A request at which the gateway panics is a problem like any other, with the number under
// which the log has the cause, and without further details.
func TestAPanicIsAnsweredWithItsNumber(t *testing.T) {
	var log bytes.Buffer
	s := newSite(t, func(c *gateway.Config) {
		c.Callbacks, c.Log = brokenTokens{}, slog.New(slog.NewTextHandler(&log, nil))
	})
	got := s.do(http.MethodPost, "/api/v1/callbacks/x.1", `{"status":"SUCCESS"}`, "X-Callback-Token", "t")
	got.want(http.StatusInternalServerError)
	var problem struct {
		Detail string
		Error  struct{ Code string }
	}
	if err := json.Unmarshal(got.body, &problem); err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`incident (\d{10})`).FindStringSubmatch(problem.Detail)
	if problem.Error.Code != "internal" || number == nil || strings.Contains(string(got.body), "planted") {
		t.Fatalf("it is answered %s", got.body)
	}
	if text := log.String(); !strings.Contains(text, "incident="+number[1]) || !strings.Contains(text, "panic=planted") || !strings.Contains(text, "brokenTokens") {
		t.Errorf("the log has %s", text)
	}
	s.do(http.MethodGet, "/api/v1/tasks", nil).want(http.StatusOK)
}
