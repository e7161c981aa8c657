package node

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/listener"
)

// A pipeListener accepts the other ends of the connections that its dial returns.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) dial() net.Conn {
	ours, theirs := net.Pipe()
	l.conns <- theirs
	return ours
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// probed calls f, under fake time, with a listener on which the HTTP side of a node
// answers, on so many connections.
func probed(t *testing.T, most int, f func(t *testing.T, l *pipeListener)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pipes := &pipeListener{make(chan net.Conn), make(chan struct{})}
		side := httpSide{
			ready: func() error { return nil }, standing: func() string { return "" },
			metrics: http.NotFoundHandler(), rest: http.NotFoundHandler(), log: slog.New(slog.DiscardHandler),
		}
		bounded := listener.New(pipes, listener.Options{Most: most, Logger: side.log})
		server := side.server()
		served := make(chan error, 1)
		go func() { served <- server.Serve(bounded) }()
		f(t, pipes)
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
}

// A client that asks for a probe, and sends only part of the announced body or reads no
// answer, holds its connection for a while and not for ever, because other clients wait for
// it.
func TestAProbeHoldsNoConnectionForEver(t *testing.T) {
	for name, tt := range map[string]struct {
		sent   string
		takes  bool
		within time.Duration
	}{
		"sends no body":   {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n", true, sentWithin},
		"sends no chunks": {"GET /readyz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", true, sentWithin},
		"takes no answer": {"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", false, takenWithin},
	} {
		t.Run(name, func(t *testing.T) {
			probed(t, 1, func(t *testing.T, l *pipeListener) {
				slow := l.dial()
				defer slow.Close()
				if _, err := io.WriteString(slow, tt.sent); err != nil {
					t.Fatal(err)
				}
				if tt.takes {
					go func() { _, _ = io.Copy(io.Discard, slow) }() // until it is closed
				}
				synctest.Wait()
				began := time.Now()
				other := l.dial()
				defer other.Close()
				if err := other.SetDeadline(began.Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(other, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				received, err := io.ReadAll(other)
				if took := time.Since(began); err != nil || took > tt.within || !strings.HasPrefix(string(received), "HTTP/1.1 200 ") {
					t.Errorf("another client receives %q after %v, %v", received, took, err)
				}
			})
		})
	}
}

// Paths without a probe reach the gateway unchanged, also with two slashes in a row.
func TestTheGatewayGetsPathsAsTheyAre(t *testing.T) {
	var asked string
	side := httpSide{
		ready: func() error { return nil }, standing: func() string { return "" }, metrics: http.NotFoundHandler(),
		rest: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.Path
			w.WriteHeader(http.StatusTeapot)
		}),
		log: slog.New(slog.DiscardHandler),
	}
	handler := side.server().Handler
	for path, status := range map[string]int{
		"/v3/queue/k/POST/http://h/a": http.StatusTeapot,
		"/":                           http.StatusTeapot,
		"/healthz":                    http.StatusOK,
	} {
		asked = ""
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != status || status == http.StatusTeapot && asked != path {
			t.Errorf("%s: status %d, and the gateway was asked for %q", path, w.Code, asked)
		}
	}
}
