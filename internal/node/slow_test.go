package node_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// slowConnections is more than the requests that a node serves at a time.
const slowConnections = 300

const (
	operatorToken = "an-operator-of-this-test"
	readerToken   = "a-reader-of-this-test"
)

// guarded is a node that asks for tokens.
func guarded(t *testing.T) *node.Node {
	t.Helper()
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte(operatorToken+" operator\n"+readerToken+" reader\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := config(t)
	c.HTTPTokenFile = tokens
	return start(t, c)
}

// operate sends a request as an operator.
func operate(t *testing.T, n *node.Node) {
	t.Helper()
	rest(t, n, http.MethodGet, "/api/v1/tasks", "", http.StatusOK, "Authorization", "Bearer "+operatorToken)
}

// dial opens a connection.
func dial(t *testing.T, n *node.Node) *net.TCPConn {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", n.HTTPAddr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// firstLine is the first line of an answer.
func firstLine(t *testing.T, conn net.Conn) string {
	t.Helper()
	line, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// Clients that send a body slowly keep no other client out, with a token or without.
func TestSlowBodiesKeepNoRequestOut(t *testing.T) {
	for name, tt := range map[string]struct{ path, headers, want string }{
		"without a token": {"/api/v1/callbacks/x.1", "", "HTTP/1.1 401 Unauthorized"},
		"as a reader":     {"/api/v1/plans/preview", "Authorization: Bearer " + readerToken + "\r\n", "HTTP/1.1 100 Continue"},
	} {
		t.Run(name, func(t *testing.T) {
			n := guarded(t)
			defer http.DefaultClient.CloseIdleConnections()
			var slow []*net.TCPConn
			for range slowConnections {
				conn := dial(t, n)
				slow = append(slow, conn)
				_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n", tt.path, tt.headers)
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, conn := range slow {
				if got := firstLine(t, conn); got != tt.want {
					t.Fatalf("a slow connection is answered %q, want %q", got, tt.want)
				}
			}
			operate(t, n)
		})
	}
}

var documentsAnswered = regexp.MustCompile(`(?m)^stationmaster_api_requests_total\{[^}]*openapi[^}]*\} (\d+)`)

// Clients that read no answer keep no other client out.
func TestSlowReadersKeepNoRequestOut(t *testing.T) {
	n := guarded(t)
	defer http.DefaultClient.CloseIdleConnections()
	many := strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 100)
	for range slowConnections {
		conn := dial(t, n)
		if err := conn.SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, many); err != nil {
			t.Fatal(err)
		}
	}
	// When the count stands still, all of the requests wait for their readers.
	for before, quiet := "", 0; quiet < 20; {
		operate(t, n)
		_, page := status(t, "http://"+n.HTTPAddr()+"/metrics")
		found := documentsAnswered.FindString(page)
		if quiet++; found == "" || found != before {
			before, quiet = found, 0
		}
	}
}

// A request with a length and chunks is read by its chunks; the bytes behind it are not
// served, because a proxy may have gone by the length.
func TestAConnectionEndsBehindChunks(t *testing.T) {
	n := guarded(t)
	for _, path := range []string{"/healthz", "/api/v1/tasks"} {
		conn := dial(t, n)
		_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+
			"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(all), "HTTP/1.1 "); got != 1 || !strings.Contains(string(all), "Connection: close\r\n") {
			t.Errorf("%s: %d answers: %s", path, got, all)
		}
	}
}
