package gateway_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// The part behind the host in the seed's two curl commands, and the data of -d.
const (
	seedPush   = "/v3/queue/cross123_789/POST/aHR0cDovLzEyNy4wLjAuMToyMzMzMy92My9ub3RpZmllci9jcm9zcy9kaWdlc3Q=?update=always&ontime=1366614150"
	seedDelete = "/v3/queue/cross123_789/POST/aHR0cDovLzEyNy4wLjAuMToyMzMzMy92My9ub3RpZmllci9jcm9zcy9kaWdlc3Q="
	seedKey    = "cross123_789/POST/aHR0cDovLzEyNy4wLjAuMToyMzMzMy92My9ub3RpZmllci9jcm9zcy9kaWdlc3Q="
	seedBody   = `{
                "to": {"identity_id": 789},
                "cross_id": 123,
                "updated_at": "2013-04-24 00:00:00"
            }`
	asCurl = "application/x-www-form-urlencoded"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// deliveries subscribes as the worker of queues.
func (s *site) deliveries() *nats.Subscription {
	s.t.Helper()
	sub, err := s.nats.QueueSubscribeSync("station.queue", "queue")
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.nats.Flush(); err != nil {
		s.t.Fatal(err)
	}
	return sub
}

// delivered is the part of a delivery that these tests check.
type delivered struct {
	Items []any
	Ext   struct{ Key, Method, Service string }
}

func (s *site) nextDelivery(sub *nats.Subscription) (d delivered, ok func()) {
	s.t.Helper()
	m, err := sub.NextMsg(patience)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(m.Data, &d); err != nil {
		s.t.Fatal(err)
	}
	return d, func() {
		if _, err := s.nats.Request(m.Reply, []byte(`{"state":"ok"}`), patience); err != nil {
			s.t.Fatal(err)
		}
	}
}

// The seed's own examples, with the host changed.
func TestTheSeedsExamplesOfAQueue(t *testing.T) {
	s := newSite(t, nil)
	work := s.deliveries()
	before := time.Now().Unix()
	got := s.do(http.MethodPost, seedPush, seedBody, "Content-Type", asCurl).want(http.StatusOK).object()
	if at, _ := got["ontime"].(float64); got["queue"] != seedKey || got["length"] != 1.0 || int64(at) < before || int64(at) > time.Now().Unix() {
		t.Errorf("pushed: %v", got)
	}
	d, ok := s.nextDelivery(work) // 2013 is past, so it is due
	want := delivered{Items: []any{map[string]any{
		"to": map[string]any{"identity_id": 789.0}, "cross_id": 123.0, "updated_at": "2013-04-24 00:00:00",
	}}}
	want.Ext.Key, want.Ext.Method, want.Ext.Service = seedKey, "POST", "http://127.0.0.1:23333/v3/notifier/cross/digest"
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	ok()

	due := time.Now().Add(time.Hour).Unix()
	later := strings.Replace(seedPush, "1366614150", itoa(due), 1)
	for n := range 2 {
		got = s.do(http.MethodPost, later, seedBody, "Content-Type", asCurl).want(http.StatusOK).object()
		if diff := cmp.Diff(map[string]any{"queue": seedKey, "length": float64(n + 1), "ontime": float64(due)}, got); diff != "" {
			t.Error(diff)
		}
	}
	for _, n := range []float64{2, 0} { // the second time there is nothing
		got = s.do(http.MethodDelete, seedDelete, nil).want(http.StatusOK).object()
		if diff := cmp.Diff(map[string]any{"queue": seedKey, "deleted": n}, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTheTimeOfAQueue(t *testing.T) {
	s := newSite(t, nil)
	hour := time.Now().Add(time.Hour).Unix()
	for _, c := range []struct {
		query string
		want  int64
	}{
		{"?ontime=" + itoa(hour), hour},
		{"?ontime=" + itoa(hour+60), hour}, // once is the default
		{"?ontime=" + itoa(hour+60) + "&update=once", hour},
		{"?ontime=" + itoa(hour+60) + "&update=always", hour + 60},
		{"?update=once", hour + 60},
	} {
		got := s.do(http.MethodPost, "/v3/queue/k/POST/aHR0cDovL2g"+c.query, "1").want(http.StatusOK).object()
		if got["ontime"] != float64(c.want) {
			t.Errorf("%s: %v, want %d", c.query, got, c.want)
		}
	}
	before := time.Now().Unix()
	got := s.do(http.MethodPost, "/v3/queue/k/POST/aHR0cDovL2g?update=always", "1").want(http.StatusOK).object()
	if at, _ := got["ontime"].(float64); int64(at) < before || int64(at) > time.Now().Unix() {
		t.Errorf("without ontime it is due at %v", got["ontime"])
	}
}

// The service may be written in base64 in several ways, each a queue of its own, because
// only items of the same path are merged.
func TestTheServiceOfAQueueInBase64(t *testing.T) {
	s := newSite(t, nil)
	work := s.deliveries()
	const service = "http://h/a?b=???>>>?" // in base64 it has a slash, a plus and padding
	std, url := base64.StdEncoding.EncodeToString([]byte(service)), base64.URLEncoding.EncodeToString([]byte(service))
	if !strings.Contains(std, "/") || !strings.Contains(std, "+") || !strings.HasSuffix(std, "=") {
		t.Fatalf("%s does not have it all", std)
	}
	escape := strings.NewReplacer("/", "%2F", "+", "%2B", "=", "%3D")
	for _, c := range []struct{ path, key string }{
		{std, std}, {escape.Replace(std), std}, {url, url}, {escape.Replace(url), url},
		{strings.TrimRight(std, "="), strings.TrimRight(std, "=")}, {strings.TrimRight(url, "="), strings.TrimRight(url, "=")},
	} {
		// Slashes within a service are beyond OpenAPI, so the answer is not checked against
		// it.
		q := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v3/queue/a%2Fb%20c/put/"+c.path, strings.NewReader("1"))
		q.RemoteAddr, q.Host = "127.0.0.1:1", "127.0.0.1"
		w := httptest.NewRecorder()
		s.gateway.ServeHTTP(w, q)
		if want := `{"queue":"a/b c/put/` + c.key + `",`; w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", c.path, w.Code, w.Body, want)
		}
		d, ok := s.nextDelivery(work)
		if d.Ext.Method != "PUT" || d.Ext.Service != service {
			t.Errorf("%s goes to %+v", c.path, d.Ext)
		}
		ok()
	}
}

func TestAnyJSONIsQueued(t *testing.T) {
	s := newSite(t, nil)
	work := s.deliveries()
	for _, body := range []string{`{"a":[1,null]}`, `[]`, `"text"`, `1.5e3`, `true`, `null`, " 7\n"} {
		s.do(http.MethodPost, "/v3/queue/-/POST/aHR0cDovL2g", body, "Content-Type", "text/plain").want(http.StatusOK)
		d, ok := s.nextDelivery(work)
		var want any
		if err := json.Unmarshal([]byte(body), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{want}, d.Items); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
		ok()
	}
}

func TestInvalidPushesToAQueue(t *testing.T) {
	s := newSite(t, nil)
	const good = "/v3/queue/k/POST/aHR0cDovL2g"
	for _, c := range []struct {
		path, body string
		status     int
		field      string
	}{
		{"/v3/queue/k/FETCH/aHR0cDovL2g", "1", 400, "method"},
		{"/v3/queue/k/POST/!", "1", 400, "service"},
		{"/v3/queue/k/POST/", "1", 400, "service"},
		{"/v3/queue/k/POST/aGVsbG8", "1", 400, "service"},         // "hello"
		{"/v3/queue/k/POST/ZmlsZTovLy9hL2I", "1", 400, "service"}, // "file:///a/b"
		{"/v3/queue/k/POST/http%3A%2F%2Fh", "1", 400, "service"},
		{"/v3/queue/k/POST/http://h/a", "1", 400, "service"},
		{"/v3/queue//POST/aHR0cDovL2g", "1", 400, "service"},
		{"/v3/queue/" + strings.Repeat("k", 600) + "/POST/aHR0cDovL2g", "1", 400, "key"},
		{"/v3/queue/cust1%E9/POST/aHR0cDovL2g", "1", 400, "path"}, // else cust1%E8 would be the same queue
		{good + "?ontime=%E9", "1", 400, "query"},
		{"/v3/queue/caf%C3%A9/POST/aHR0cDovL2g", "1", 200, ""},
		{good + "?update=never", "1", 400, "update"},
		{good + "?update=", "1", 200, ""},
		{good + "?ontime=soon", "1", 400, "ontime"},
		{good + "?ontime=1.5", "1", 400, "ontime"},
		{good + "?ontime=1366614150000", "1", 400, "ontime"}, // milliseconds
		{good + "?ontime=99999999999999999999", "1", 400, "ontime"},
		{good + "?ontime=17955163950", "1", 400, "ontime"}, // the year 2538
		{good + "?at=1", "1", 400, "at"},
		{good + "?ontime=1&ontime=2", "1", 400, "ontime"},
		{good, "", 400, "body"},
		{good, "{", 400, ""},
		{good, "1 2", 400, ""},
		{good, `{"a":1,"a":2}`, 400, ""},
		{good, `"` + strings.Repeat("x", 300<<10) + `"`, 413, "body"},
		{good, `"` + strings.Repeat("x", 1<<20) + `"`, 413, ""},
	} {
		got := s.do(http.MethodPost, c.path, c.body).want(c.status)
		if c.status != http.StatusOK && got.fields()[0] != c.field {
			t.Errorf("%.60s %.20s: %s", c.path, c.body, got.body)
		}
	}
	s.do(http.MethodDelete, "/v3/queue/k/FETCH/aHR0cDovL2g", nil).want(http.StatusBadRequest)
	s.do(http.MethodDelete, good+"?ontime=1", nil).want(http.StatusBadRequest)
	if got := s.do(http.MethodGet, good, nil).want(http.StatusMethodNotAllowed).header.Get("Allow"); got != "DELETE, POST, OPTIONS" {
		t.Errorf("allowed are %s", got)
	}
}

func TestRolesThatMayPushToAQueue(t *testing.T) {
	const looks, does = "a-token-that-looks", "a-token-that-does"
	tokens, err := gateway.ReadTokens(strings.NewReader(looks + " reader\n" + does + " operator\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *gateway.Config) { c.Tokens = tokens })
	for _, c := range []struct {
		authorization string
		status        int
	}{{"", 401}, {"Bearer " + looks, 403}, {"Bearer " + does, 200}} {
		s.do(http.MethodPost, seedPush, "1", "Authorization", c.authorization).want(c.status)
		s.do(http.MethodDelete, seedDelete, nil, "Authorization", c.authorization).want(c.status)
	}
	// A form of another site's page can send a text without a CORS preflight.
	s.do(http.MethodPost, seedPush, "1", "Authorization", "Bearer "+does, "Content-Type", "text/plain",
		"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden)
}

// The services queues.* by REST: a queue from its first push to its end.
func TestQueuesByREST(t *testing.T) {
	s := newSite(t, nil)
	const one = "/api/v1/queues/a%2Fb" // the key is a/b
	s.do(http.MethodGet, one, nil).want(http.StatusNotFound)
	for n := range 3 {
		got := s.do(http.MethodPost, one+"/push", map[string]any{"task": n, "data": map[string]any{"last": n}}).want(http.StatusOK).object()
		if got["key"] != "a/b" || got["length"] != float64(n+1) || got["ontime"] == nil {
			t.Errorf("push %d is answered %v", n, got)
		}
	}
	s.do(http.MethodPost, "/api/v1/queues/-c/push", map[string]any{"task": 1, "station": "nowhere", "ontime": "2100-01-01T00:00:00Z"}).want(http.StatusOK)

	tasks := func(path, body string) []any {
		t.Helper()
		method := http.MethodGet
		var sent any
		if body != "" {
			method, sent = http.MethodPost, body
		}
		list, _ := s.do(method, path, sent).want(http.StatusOK).object()["tasks"].([]any)
		return list
	}
	if diff := cmp.Diff([]any{0.0, 1.0}, tasks(one+"/tasks?number=2", "")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{0.0, 1.0}, tasks(one+"/get", `{"random":"r","number":2}`)); diff != "" {
		t.Error(diff)
	}
	s.do(http.MethodPost, one+"/get", `{"random":"s"}`).want(http.StatusConflict)
	got := s.do(http.MethodGet, one, nil).want(http.StatusOK).object()
	for name, want := range map[string]any{"key": "a/b", "station": "queue.hold", "length": 3.0, "locked": 2.0, "overwrite": true, "status": "executing"} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	s.do(http.MethodPost, one+"/complete", `{"random":"r","number":1}`).want(http.StatusOK)
	s.do(http.MethodPost, one+"/get", `{"random":"r"}`).want(http.StatusOK)
	s.do(http.MethodPost, one+"/release", `{"random":"r"}`).want(http.StatusOK)

	queues, _ := s.do(http.MethodGet, "/api/v1/queues", nil).want(http.StatusOK).object()["queues"].([]any)
	if len(queues) != 2 {
		t.Errorf("listed %v", queues)
	}
	queues, _ = s.do(http.MethodGet, "/api/v1/queues?text=A/B&limit=1", nil).want(http.StatusOK).object()["queues"].([]any)
	if len(queues) != 1 {
		t.Errorf("listed %v", queues)
	}
	s.do(http.MethodPost, one+"/retry", nil).want(http.StatusConflict) // no delivery has failed
	for path, n := range map[string]float64{one: 2, "/api/v1/queues/-c": 1, "/api/v1/queues/d": 0} {
		if got := s.do(http.MethodDelete, path, nil).want(http.StatusOK).object(); got["deleted"] != n {
			t.Errorf("%s: %v", path, got)
		}
	}
	s.do(http.MethodPost, one+"/push", `{"task":1,"key":"other"}`).want(http.StatusBadRequest)
	s.do(http.MethodPost, one+"/push", map[string]any{"task": 1, "station": "nowhere", "ontime": "2100-01-01T00:00:00Z"}).want(http.StatusOK)
	if got := s.do(http.MethodPost, one+"/retry", nil).want(http.StatusOK).object(); got["state"] != "executing" {
		t.Errorf("retried: %v", got)
	}
}
