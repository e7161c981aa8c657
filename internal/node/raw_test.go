package node_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// raw sends bytes and returns all bytes that come back until the node is silent.
func raw(t *testing.T, n *node.Node, sent string) string {
	t.Helper()
	conn := dial(t, n)
	var saying sync.WaitGroup
	saying.Go(func() { _, _ = io.WriteString(conn, sent) }) // the node may close the connection before all is sent
	received, err := io.ReadAll(conn)
	_ = conn.Close()
	saying.Wait()
	if err != nil && len(received) == 0 {
		t.Fatalf("%.60q: %v", sent, err)
	}
	return string(received)
}

// answers returns the statuses of the answers, counted as HTTP counts them.
func answers(t *testing.T, received string) (statuses []int) {
	t.Helper()
	in := bufio.NewReader(strings.NewReader(received))
	for {
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Fatalf("%q: %v", received, err)
		}
		statuses = append(statuses, r.StatusCode)
	}
}

// A request whose end a proxy and the node could see at different bytes is refused, and the
// bytes behind it are not served.
func TestAnAmbiguousRequestIsRefused(t *testing.T) {
	n := start(t, config(t))
	const behind = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	for name, head := range map[string]string{
		"two lengths":                 "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n",
		"two lengths in one":          "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0, 44\r\n\r\n",
		"a length with a sign":        "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: +0\r\n\r\n",
		"a negative length":           "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
		"a length in hexadecimal":     "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0x0\r\n\r\n",
		"a length without end":        "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"an encoding that is none":    "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n",
		"chunks that are not last":    "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
		"two encodings":               "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
		"a tab in front of chunks":    "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
		"a space before a colon":      "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
		"a space before a name":       "GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n",
		"a return in a header":        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rContent-Length: 44\r\n\r\n",
		"a NUL in a header":           "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
		"two hosts":                   "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
		"no host":                     "GET /healthz HTTP/1.1\r\n\r\n",
		"HTTP/2 that nobody asked":    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"a version that there is not": "GET /healthz HTTP/1.2.3\r\nHost: localhost\r\n\r\n",
		"a line that is none":         "GET\r\n\r\n",
		"headers of 100,000 bytes":    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 100_000) + "\r\n\r\n",
	} {
		received := answers(t, raw(t, n, head+behind))
		if len(received) != 1 || received[0] < 400 || received[0] == http.StatusNotFound || received[0] == http.StatusMethodNotAllowed {
			t.Errorf("%s is answered %v", name, received)
		}
	}
}

// A path that a proxy or a browser would read differently is not served, and does not
// redirect.
func TestOddPathsLeadNowhere(t *testing.T) {
	n := start(t, config(t))
	for _, path := range []string{
		"//evil.example", "//evil.example/..", "/\\evil.example", "/%2f%2fevil.example", "/api/v1//evil.example",
		"/api/v1/plans/../../../../etc/passwd", "/api/v1/%2e%2e/%2e%2e/etc/passwd", "/api/v1/plans/http/..%2f..%2fx",
		"/api/v1/plans/http/%00", "/api/v1/plans/http/x%00.json", "/api/v1/plans/http/%c0%af", "/api/v1/plans/http/%ff",
		"/api/v1/plans/http/%0d%0aLocation:%20//evil.example", "/api/v1/plans/%0a/x", "/api/v1/tasks/%0d%0a",
		"/api/v1/plans/http/x%20y", "/api/v1/plans/http/*", "/api/v1/plans/http/>", "/api/v1/plans/*/x", "/api/v1/plans/a.b/x",
		"/api/v1/plans/http/%zz", "/%", "/api/v1/plans?limit=1&limit=2", "/api/v1/plans?station=a&station=b", "/api/v1/plans?nobody=1",
		"/api/v1/plans?limit=%00", "/api/v1/plans?a;b", "http://evil.example/api/v1/plans", "evil.example:443", "*",
		"/" + strings.Repeat("x", 70_000), "/api/v1/plans/http/" + strings.Repeat("x", 60_000),
		"/debug/pprof/", "/debug/pprof/profile", "/debug/pprof/goroutine?debug=2", "/debug/vars", "/debug/requests", "/.git/config",
	} {
		received := raw(t, n, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(received)), nil)
		if err != nil {
			t.Errorf("%.80q: %v", path, err)
			continue
		}
		_ = r.Body.Close()
		to := r.Header.Get("Location")
		switch {
		case r.StatusCode >= 300 && r.StatusCode < 400 && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.HasPrefix(to, "/\\"): // the same place, written plainly
		case r.StatusCode >= 400 && r.StatusCode < 500 && to == "":
		default:
			t.Errorf("%.80q: %d, sent to %q", path, r.StatusCode, to)
		}
	}
}

// Clients that begin a head and do not end it are cut off, however many they are, and keep
// no other client out meanwhile.
func TestHalfHeadsAreCutOff(t *testing.T) {
	t.Parallel() // a head may take five seconds
	n := guarded(t)
	for range slowConnections {
		conn := dial(t, n)
		if _, err := io.WriteString(conn, "GET /api/v1/tasks HTTP/1.1\r\nHost: loc"); err != nil {
			t.Fatal(err)
		}
		defer func() { // at the end, because all of them are under way together
			received, err := io.ReadAll(conn)
			if err != nil || bytes.Contains(received, []byte(" 200 ")) {
				t.Errorf("half a head ends with %q, %v", received, err)
			}
		}()
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
	}
	operate(t, n)
}
