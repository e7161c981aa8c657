package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines collects log lines, and reports each.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	come chan struct{}
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(b)
	select {
	case l.come <- struct{}{}:
	default:
	}
	return len(b), nil
}

// A target that sends a body where there is none has net/http log its first bytes, and they may be a
// secret of the request.
func TestNoBytesOfAnAnswerAreLogged(t *testing.T) {
	const secret = "s3cr3t-of-the-request"
	got := &lines{come: make(chan struct{}, 1)}
	defer redirect(slog.New(slog.NewJSONHandler(got, nil)))()
	target := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if _, err := c.Write([]byte("HTTP/1.1 204 No Content\r\n\r\n" + r.Header.Get("Authorization"))); err != nil {
			t.Error(err)
		}
	}))
	defer target.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", secret)
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	select {
	case <-got.come:
	case <-time.After(30 * time.Second):
		t.Fatal("nothing is logged")
	}
	got.mu.Lock()
	defer got.mu.Unlock()
	text := got.text.String()
	if strings.Contains(text, secret[:6]) || !strings.Contains(text, `"level":"INFO","msg":"the target of a call sent bytes behind its answer`) {
		t.Errorf("the log is %s", text)
	}
}
