package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A sent is one server-sent event, or a comment alone.
type sent struct {
	id, event, comment string
	data               map[string]any
}

// A watch is one reader of the live stream.
type watch struct {
	t    *testing.T
	body io.ReadCloser
	all  chan sent
	end  context.CancelFunc
}

// watch reads the stream from now on, or behind a result.
func (s *site) watch(query, after string) *watch {
	s.t.Helper()
	ctx, end := context.WithCancel(s.t.Context())
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+"/api/v1/events"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if after != "" {
		q.Header.Set("Last-Event-ID", after)
	}
	if s.token != "" {
		q.Header.Set("Authorization", "Bearer "+s.token)
	}
	r, err := s.server.Client().Do(q)
	if err != nil {
		s.t.Fatal(err)
	}
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("%d %v", r.StatusCode, r.Header)
	}
	w := &watch{t: s.t, body: r.Body, all: make(chan sent, 1000), end: end}
	s.t.Cleanup(w.stop)
	go w.read()
	return w
}

func (w *watch) stop() {
	w.end()
	_ = w.body.Close()
	for range w.all { // until the reading has ended
	}
}

func (w *watch) read() {
	defer close(w.all)
	lines := bufio.NewScanner(w.body)
	lines.Buffer(nil, 1<<20)
	var e sent
	data := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.event = value
		case "data":
			data = value
		case "":
			if value != "" {
				e.comment = value
			} else if e.event+e.comment != "" {
				// Decoded only now, because a line may be cut off where the reader left.
				if err := json.Unmarshal([]byte(data), &e.data); err != nil && data != "" {
					w.t.Errorf("data %q: %v", data, err)
				}
				w.all <- e
				e, data = sent{}, ""
			}
		}
	}
}

// next is the next event that is no comment.
func (w *watch) next() sent {
	w.t.Helper()
	for {
		if e := next(w.t, w.all); e.comment == "" {
			return e
		}
	}
}

// run makes a plan that is executed at once, n times.
func (s *site) run(station, id string, n int) {
	s.t.Helper()
	times, zero := int64(n), int64(0)
	if _, err := s.client.Plans().Create(s.t.Context(), schema.Plan{
		PlanID: id, Station: station, Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &zero, PlanRepet: &times},
	}); err != nil {
		s.t.Fatal(err)
	}
}

// pub makes a station where a plan is done once it is published.
func (s *site) pub(station string) {
	s.t.Helper()
	if _, err := s.client.Stations().Put(s.t.Context(), schema.Station{Station: station, Kind: schema.KindPub}); err != nil {
		s.t.Fatal(err)
	}
}

func TestTheLiveStreamShowsWhatHappens(t *testing.T) {
	s := newSite(t, nil)
	s.pub("hello")
	w := s.watch("", "")
	s.run("hello", "a", 1)
	var got []string
	for range 4 {
		e := w.next()
		if e.event == "result" && e.id == "" || e.event == "event" && e.id != "" {
			t.Errorf("%+v", e)
		}
		kind, _ := e.data["kind"].(string)
		state, _ := e.data["state"].(string)
		got = append(got, e.event+" "+kind+state)
	}
	// Results come by another way than events, so their order varies.
	want := map[string]bool{"event created": true, "event dispatched": true, "event closed": true, "result ok": true}
	for _, g := range got {
		delete(want, g)
	}
	if len(want) > 0 {
		t.Errorf("got %v; %v did not come", got, want)
	}
}

func TestTheLiveStreamIsFiltered(t *testing.T) {
	s := newSite(t, nil)
	s.pub("eu.hello")
	s.pub("us.hello")
	readers := map[string]*watch{}
	for query := range map[string]string{
		"?station=eu.>&kind=result": "", "?station=us.hello&plan_id=b&kind=result": "", "?kind=created": "", "?state=ok&kind=result": "", "?state=error&kind=result,closed": "",
	} {
		readers[query] = s.watch(query, "")
	}
	s.run("eu.hello", "a", 1)
	s.run("us.hello", "b", 1)
	s.run("us.hello", "c", 1)
	for query, want := range map[string][]string{
		"?station=eu.>&kind=result":               {"result a"},
		"?station=us.hello&plan_id=b&kind=result": {"result b"},
		"?kind=created":                           {"event a", "event b", "event c"},
		"?state=ok&kind=result":                   {"result a", "result b", "result c"},
		"?state=error&kind=result,closed":         {"event a", "event b", "event c"},
	} {
		var got []string
		for range want {
			e := readers[query].next()
			got = append(got, e.event+" "+e.data["plan_id"].(string))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	for _, query := range []string{"?kind=nope", "?state=nope", "?station=a..b", "?plan_id=a.b", "?what=x"} {
		s.do(http.MethodGet, "/api/v1/events"+query, nil).want(http.StatusBadRequest)
	}
	s.do(http.MethodGet, "/api/v1/events", nil, "Last-Event-ID", "yesterday").want(http.StatusBadRequest)
}

// A reader that comes back with its last id sees each result once, wherever it was when it
// left, and with or without other readers meanwhile.
func TestAReaderThatComesBackMissesNothing(t *testing.T) {
	s := newSite(t, nil)
	s.pub("hello")
	const runs = 60
	first := s.watch("?kind=result", "")
	s.run("hello", "a", runs)
	last, seen := "", 0
	reader := first
	for seen < runs {
		e := reader.next()
		seen++
		if n := e.data["n"].(float64); n != float64(seen) {
			t.Fatalf("result %v, want %d", n, seen)
		}
		last = e.id
		if seen%20 == 0 {
			reader.stop()
			reader = s.watch("?kind=result", last)
		}
	}
	s.run("hello", "b", 1)
	if e := reader.next(); e.data["plan_id"] != "b" {
		t.Errorf("then came %+v", e)
	}
}

func TestAReaderIsInformedOfRemovedEvents(t *testing.T) {
	s := newSite(t, nil)
	s.pub("hello")
	w := s.watch("?kind=result", "99999999") // of another stream
	if e := w.next(); e.event != "missed" || e.data["reason"] == "" {
		t.Errorf("%+v", e)
	}
	s.run("hello", "a", 1)
	if e := w.next(); e.event != "result" {
		t.Errorf("%+v", e)
	}
}

func TestTheLiveStreamBeats(t *testing.T) {
	s := newSite(t, func(c *gateway.Config) { c.Heartbeat = time.Millisecond })
	w := s.watch("", "")
	if e := next(t, w.all); e.comment != "heartbeat" {
		t.Errorf("%+v", e)
	}
}

// One token's streams leave room for those of another, because the oldest of the token with the
// most is ended.
func TestNoTokenHasAllStreams(t *testing.T) {
	const readers, operators = "a-reader-of-many-streams", "an-operator-of-few-streams"
	tokens, err := gateway.ReadTokens(strings.NewReader(readers + " reader\n" + operators + " operator\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *gateway.Config) { c.MaxStreams, c.Tokens = 3, tokens })
	s.token = readers
	var many []*watch
	for range 4 {
		many = append(many, s.watch("", ""))
	}
	wantBye := func(w *watch) {
		t.Helper()
		if e := w.next(); e.event != "bye" || !strings.Contains(e.data["reason"].(string), "has the most") {
			t.Errorf("%+v", e)
		}
	}
	wantBye(many[0]) // of the same token
	s.token = operators
	first := s.watch("", "")
	wantBye(many[1])
	s.watch("", "")
	wantBye(many[2])
	s.token = readers // readers has one now, and the operator two: two of both are too many
	s.watch("", "")
	wantBye(many[3])
	s.token = operators
	s.watch("", "")
	wantBye(first)
}

func TestNoMoreStreamsThanAreServedAtATime(t *testing.T) {
	tokens, err := gateway.ReadTokens(strings.NewReader("the-first-of-two-tokens reader\nthe-second-of-two-tokens reader\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *gateway.Config) { c.MaxStreams, c.Tokens, c.Heartbeat = 1, tokens, time.Millisecond })
	s.token = "the-first-of-two-tokens"
	one := s.watch("", "")
	s.token = "the-second-of-two-tokens"
	s.do(http.MethodGet, "/api/v1/events", nil).want(http.StatusServiceUnavailable)
	one.stop()
	// The place is free once the gateway has noticed.
	for s.do(http.MethodHead, "/api/v1/events", nil).status != http.StatusOK {
		select {
		case <-t.Context().Done():
			t.Fatal("it never is")
		default:
		}
	}
}

// A stuckWriter takes the head of an answer, and then nothing until it is released.
type stuckWriter struct {
	*httptest.ResponseRecorder
	begun, goOn chan struct{}
	wrote       int
}

func (w *stuckWriter) Write(b []byte) (int, error) {
	w.wrote++
	if w.wrote == 2 {
		close(w.begun)
		<-w.goOn
	}
	return w.ResponseRecorder.Write(b)
}

// A slow reader is dropped with a `bye`, and delays no other.
func TestASlowReaderIsDropped(t *testing.T) {
	s := newSite(t, nil)
	s.pub("hello")
	slow := &stuckWriter{httptest.NewRecorder(), make(chan struct{}), make(chan struct{}), 0}
	quick := s.watch("?kind=result&plan_id=last", "")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/events", nil)
		q.RemoteAddr, q.Host = "127.0.0.1:1", "127.0.0.1"
		s.gateway.ServeHTTP(slow, q)
	}()
	// The first item blocks the writer, and many more come.
	for i := 0; ; i++ {
		s.run("hello", "a"+strconv.Itoa(i), 1)
		select {
		case <-slow.begun:
		default:
			continue
		}
		break
	}
	plans := make([]schema.Plan, 600)
	for i := range plans {
		plans[i] = schema.Plan{PlanID: "p" + strconv.Itoa(i), Station: "hello", Command: "c"}
	}
	if _, err := s.client.Plans().Import(t.Context(), plans, schema.ConflictError); err != nil {
		t.Fatal(err)
	}
	s.run("hello", "last", 1)
	quick.next()
	close(slow.goOn)
	next(t, ended)
	if body := slow.Body.String(); !strings.Contains(body, "event: bye") || !strings.Contains(body, "too slow") {
		t.Errorf("it received %q", body[max(0, len(body)-200):])
	}
}

func TestAGatewayThatIsClosedEndsItsStreams(t *testing.T) {
	s := newSite(t, nil)
	w := s.watch("", "")
	if err := s.gateway.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := w.next(); e.event != "bye" || !strings.Contains(e.data["reason"].(string), "stopped") {
		t.Errorf("%+v", e)
	}
	s.do(http.MethodGet, "/api/v1/events", nil).want(http.StatusServiceUnavailable)
}

// Readers share one subscription, so that its cost is independent of their number.
func TestReadersShareOneSubscription(t *testing.T) {
	s := newSite(t, nil)
	s.pub("hello")
	var readers []*watch
	for range 20 {
		readers = append(readers, s.watch("?kind=result", ""))
	}
	s.run("hello", "a", 1)
	for _, w := range readers {
		if e := w.next(); e.data["plan_id"] != "a" {
			t.Errorf("%+v", e)
		}
	}
	if n := s.consumers(); n != 1 {
		t.Errorf("%d consumers of the results", n)
	}
}

// consumers is how many consumers the stream of results has.
func (s *site) consumers() int64 {
	s.t.Helper()
	m, err := s.nats.Request("$JS.API.STREAM.INFO.PLAN_RESULTS", nil, patience)
	if err != nil {
		s.t.Fatal(err)
	}
	v, err := wire.ScanAs(wire.JSON, m.Data, wire.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	n, _ := v.Field("state").Field("consumer_count").Int()
	return n
}
