package httpworker

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

func statuses(words ...string) (list []wire.Value) {
	for _, word := range words {
		list = append(list, wire.Text(wire.JSON, word))
	}
	return list
}

// A seen is a request as a target sees it.
type seen struct {
	method, uri, host, body string
	header                  http.Header
}

// target notes its requests, and answers them.
func target(t *testing.T, answer func(http.ResponseWriter)) (url string, requests <-chan seen) {
	t.Helper()
	asked := make(chan seen, 100)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked <- seen{r.Method, r.RequestURI, r.Host, string(body), r.Header}
		answer(w)
	})
	return s.URL, asked
}

func ok(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) }

func TestTheWholeRequest(t *testing.T) {
	url, requests := target(t, ok)
	x := execution(t, schema.HTTPCall{
		Name: `night "ly" & co`, HTTPMethod: "put", TargetURL: url + "/jobs/{{name}}/{{run_id}}?t={{plan_time}}&n={{ name }}#x",
		Headers:      map[string]string{"authorization": "Bearer x", "X-Name": "{{name}}", "Host": "other.example.org", "x-run-id": "mine"},
		BodyTemplate: `{"name":"{{name}}","n":{{attempt}},"k":{{occurrence}},"id":{{task_id}}}`,
	})
	x.MsgHeader = map[string][]string{"traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}
	if o := outcomeOf(t.Context(), t, local(t), x); o.Class != schema.HTTPOK {
		t.Fatalf("outcome %+v", o)
	}
	got := <-requests
	want := map[string]string{
		"Authorization":   "Bearer x",
		"Content-Type":    "application/json",
		"Idempotency-Key": "http/nightly/7/2",
		"Traceparent":     "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"User-Agent":      "stationmaster",
		"X-Attempt":       "1",
		"X-Name":          `night "ly" & co`,
		"X-Plan-Time":     "2026-03-01T10:00:00.5Z",
		"X-Run-Id":        "nightly.3",
		"X-Task-Id":       "nightly",
	}
	for name, value := range want {
		if got.header.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), value)
		}
	}
	for _, absent := range []string{"X-Callback-Url", "X-Callback-Token"} {
		if got.header.Get(absent) != "" {
			t.Errorf("%s in a SYNC call", absent)
		}
	}
	line := []string{got.method, got.uri, got.host, got.body}
	if diff := cmp.Diff([]string{
		"PUT", `/jobs/night%20%22ly%22%20&%20co/nightly.3?t=2026-03-01T10%3A00%3A00.5Z&n=night+%22ly%22+%26+co`, "other.example.org",
		`{"name":"night \"ly\" & co","n":1,"k":2,"id":"nightly"}`,
	}, line); diff != "" {
		t.Error(diff)
	}
}

func TestStatusDecides(t *testing.T) {
	for _, tt := range []struct {
		status  int
		success []string
		class   schema.HTTPClass
		message string
	}{
		{204, nil, schema.HTTPOK, ""},
		{404, nil, schema.HTTPStatus, "the target answered 404 Not Found"},
		{409, []string{"2xx", "409"}, schema.HTTPOK, ""},
		{200, []string{"409"}, schema.HTTPStatus, "200 OK"},
		{299, nil, schema.HTTPOK, ""},
		{799, nil, schema.HTTPStatus, "799"},
	} {
		url, _ := target(t, func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(tt.status)
		})
		o := outcome(t.Context(), t, local(t), schema.HTTPCall{TargetURL: url, SuccessStatus: statuses(tt.success...)})
		if o.Class != tt.class || o.Status != int64(tt.status) || !strings.Contains(o.Message, tt.message) || o.Headers["retry-after"] != "3" {
			t.Errorf("%d with %v: %+v", tt.status, tt.success, o)
		}
	}
}

func TestOutcomesReportedToTheScheduler(t *testing.T) {
	url, requests := target(t, ok)
	bad, _ := target(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) })
	w := caller(t, Options{AllowPrivate: true, CallbackURL: "https://gateway.example.org/"})
	handle := func(call schema.HTTPCall) (any, error) { return w.handle(t.Context(), execution(t, call)) }

	content, err := handle(schema.HTTPCall{TargetURL: url})
	if o, is := content.(schema.HTTPOutcome); !is || o.Class != schema.HTTPOK || err != nil {
		t.Errorf("SYNC: %v, %v", content, err)
	}
	<-requests
	content, err = handle(schema.HTTPCall{TargetURL: bad})
	if content != nil || err == nil || err.Error() != "the target answered 502 Bad Gateway" {
		t.Errorf("SYNC that failed: %v, %v", content, err)
	}
	content, err = handle(schema.HTTPCall{TargetURL: url, ExecType: "async", CallbackTimeoutSec: schema.Within(42 * time.Second)})
	if content != nil || err != worker.CompleteLater(42*time.Second) {
		t.Errorf("ASYNC: %v, %v", content, err)
	}
	asked := <-requests
	if got := asked.header.Get("X-Callback-Url"); got != "https://gateway.example.org/api/v1/callbacks/nightly.3" {
		t.Errorf("callback address %q", got)
	}
	// An execution that a test made has no reply subject; node's tests open real ones.
	if _, err := testKey.Open(asked.header.Get("X-Callback-Token"), time.Now()); err != nil {
		t.Errorf("callback token: %v", err)
	}
	content, err = handle(schema.HTTPCall{TargetURL: bad, ExecType: "ASYNC"})
	if content != nil || err == nil || errors.Is(err, worker.CompleteLater(300*time.Second)) {
		t.Errorf("ASYNC that failed: %v, %v", content, err)
	}
	w.callbacks = ""
	if _, err = handle(schema.HTTPCall{TargetURL: url, ExecType: "ASYNC"}); err == nil || !strings.Contains(err.Error(), "--http-public-url") {
		t.Errorf("ASYNC without an address for callbacks: %v", err)
	}
	if _, err = handle(schema.HTTPCall{TargetURL: "ftp://example.org"}); err == nil {
		t.Error("a wrong plan is carried out")
	}
}

func TestTimeouts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		timeout  *schema.Seconds
		deadline time.Duration
		message  string
		lasts    time.Duration
	}{
		{"its own", schema.Within(50 * time.Second), time.Hour, "timeout passed", 50 * time.Second},
		{"its own wins over the deadline", schema.Within(20 * time.Second), 2 * time.Second, "timeout passed", 20 * time.Second},
		{"the deadline, without its own", nil, 5 * time.Second, "deadline", 5 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := local(t)
				url := rawServerOn(t, piped(w), func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
				x := execution(t, schema.HTTPCall{TargetURL: url, TimeoutSeconds: tt.timeout})
				began := time.Now()
				x.Deadline = began.Add(tt.deadline)
				_, err := w.handle(t.Context(), x)
				if took := time.Since(began); took != tt.lasts {
					t.Errorf("it took %v, want %v", took, tt.lasts)
				}
				if err == nil || !strings.Contains(err.Error(), tt.message) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestACancelledCallClosesItsConnection(t *testing.T) {
	began, gone := make(chan struct{}), make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done() // the connection is closed
		close(gone)
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan schema.HTTPOutcome, 1)
	go func() { ended <- outcome(ctx, t, local(t), schema.HTTPCall{TargetURL: s.URL}) }()
	<-began
	cancel(worker.ErrCancelled)
	select {
	case <-gone:
	case <-time.After(patience):
		t.Fatal("the target's connection is still open")
	}
	if o := <-ended; o.Class != schema.HTTPNetwork || !strings.Contains(o.Message, "cancelled") {
		t.Errorf("outcome %+v", o)
	}
}

// A connection that is slow to be written to is not used again, so this is under fake time.
func TestConnectionsAreVerifiedAndUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := local(t)
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		s.Listener.Close()
		p := piped(w)
		s.Listener = p
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs the certificate, too
		s.StartTLS()
		t.Cleanup(s.Close)
		o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: s.URL})
		if o.Class != schema.HTTPNetwork || !strings.Contains(o.Message, "certificate") {
			t.Errorf("a stranger's certificate: %+v", o)
		}
		roots := x509.NewCertPool()
		roots.AddCert(s.Certificate())
		w = caller(t, Options{AllowPrivate: true, RootCAs: roots})
		w.transport.DialContext = p.dial
		before := p.made.Load()
		for range 3 {
			if o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: s.URL}); o.Class != schema.HTTPOK {
				t.Fatalf("a known certificate: %+v", o)
			}
		}
		if made := p.made.Load() - before; made != 1 {
			t.Errorf("three calls took %d connections", made)
		}
	})
}

// A host that hangs takes its own places, and none of another host's.
func TestAHostThatHangsDoesNotHoldUpOthers(t *testing.T) {
	const callers = 20
	release, begun := make(chan struct{}), make(chan struct{}, callers)
	var mu sync.Mutex
	now, most := 0, 0
	slow := serve(t, func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		begun <- struct{}{}
		<-release
		mu.Lock()
		now--
		mu.Unlock()
	})
	quick, _ := target(t, ok)
	w := caller(t, Options{AllowPrivate: true, Concurrency: 10, PerHost: 3})
	var calls sync.WaitGroup
	for range callers {
		calls.Go(func() {
			if o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: slow.URL}); o.Class != schema.HTTPOK {
				t.Errorf("slow: %+v", o)
			}
		})
	}
	for range 10 {
		if o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: quick}); o.Class != schema.HTTPOK {
			t.Errorf("quick: %+v", o)
		}
	}
	for range 3 { // its places are taken
		<-begun
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errTimeout)
	defer cancel()
	if o := outcome(ctx, t, w, schema.HTTPCall{TargetURL: slow.URL}); o.Class != schema.HTTPTimeout || !strings.Contains(o.Message, "waited") {
		t.Errorf("who cannot wait: %+v", o)
	}
	close(release)
	calls.Wait()
	if most > 3 {
		t.Errorf("%d calls to one host at once", most)
	}
	isEmpty(t, w.gate)
}

func TestWrongOptions(t *testing.T) {
	for _, o := range []Options{
		{Concurrency: -1},
		{PerHost: -1},
		{Allow: []string{"http://a"}},
		{CallbackURL: "gateway.example.org"},
	} {
		if _, err := assemble(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
