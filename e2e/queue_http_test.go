package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestAQueueIsDeliveredToItsService(t *testing.T) {
	t.Parallel()
	type call struct{ method, contentType, key, body string }
	calls := make(chan call, 10)
	fails := make(chan int, 10)
	fails <- http.StatusServiceUnavailable
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- call{r.Method, r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key"), string(body)}
		select {
		case status := <-fails:
			w.WriteHeader(status)
		default:
		}
	}))
	defer service.Close()
	s := start(t, "--http-allow-private")
	c := connect(t, s, inJSON)
	due := time.Now().Add(time.Second).Unix() + 1
	for i := range 2 {
		c.req("queues.push", body{"key": "k", "task": body{"n": i, "word": "{{run_id}}"}, "ontime": due, "method": "POST", "service": service.URL + "/x"})
	}
	next := func() call {
		select {
		case got := <-calls:
			return got
		case <-time.After(patience):
			t.Fatal("no call came")
			return call{}
		}
	}
	first := next()
	if early := time.Until(time.Unix(due, 0)); early > 0 {
		t.Errorf("called %v before its time", early)
	}
	want := `[{"n":0,"word":"{{run_id}}"},{"n":1,"word":"{{run_id}}"}]`
	if first.method != "POST" || first.contentType != "application/json" || first.body != want {
		t.Errorf("called with %+v", first)
	}
	if again := next(); again != first { // 503: the same items again, under the same key
		t.Errorf("called again with %+v, want %+v", again, first)
	}
	for range 2 { // not merged: one call each
		c.req("queues.push", body{"key": "-k", "task": 1, "method": "PUT", "service": service.URL})
	}
	for range 2 {
		if got := next(); got.method != "PUT" || got.body != "[1]" {
			t.Errorf("called with %+v", got)
		}
	}
}
