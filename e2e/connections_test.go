package e2e

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// When more connections reach one port of a process than it may have open files, enough
// files are left for the other port and for the stores.
func TestConnectionsTakeNoFilesFromTheStores(t *testing.T) {
	t.Parallel()
	atHTTP, atNATS := func(s *server) string { return s.http }, func(s *server) string { return s.nats }
	for what, tt := range map[string]struct {
		at           func(*server) string
		sent         string
		files, flood int
	}{
		"to HTTP, silent":          {atHTTP, "", 400, 1500},
		"to HTTP, with half heads": {atHTTP, "GET /openapi.json HTTP/1.1\r\nHost:", 400, 1500},
		// nats-server accepts each connection before it closes it.
		"to NATS": {atNATS, "", 2000, 3500},
	} {
		t.Run(what, func(t *testing.T) {
			s, err := (&server{dir: t.TempDir(), files: tt.files}).launch()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.kill9)
			c := connect(t, s, inJSON)
			work := c.worker("w")
			c.create(everySecond("w", "skip", -1).with(body{"plan_id": "goes"}))
			work.take().request(body{"state": "ok"})

			var opened []net.Conn
			for range tt.flood {
				conn, err := net.Dial("tcp", tt.at(s))
				if err != nil {
					break // beyond the limit
				}
				opened = append(opened, conn)
				_, _ = conn.Write([]byte(tt.sent)) // it may be closed already
			}
			defer func() {
				for _, conn := range opened {
					_ = conn.Close()
				}
			}()
			for range 3 {
				work.take().request(body{"state": "ok"})
			}
			if code, err := s.get("/readyz"); err != nil || code != http.StatusOK {
				t.Errorf("/readyz: %d, %v", code, err)
			}
			c.req("plans.get", name("w", "goes"))
			if tt.at(s) != s.nats {
				operator, err := nats.Connect("nats://"+s.nats, nats.Timeout(patience))
				if err != nil {
					t.Fatalf("no new client reaches NATS: %v", err)
				}
				operator.Close()
			}
			if lines := s.log.grep("too many open files"); len(lines) > 0 {
				t.Errorf("the log has %q", lines)
			}
			if code := s.terminate(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// While clients keep connecting to the ports of a cluster, many times more than the
// processes may have open files, requests are answered, and a node that was stopped joins
// again.
func TestStrangersTakeNoFilesFromACluster(t *testing.T) {
	t.Parallel()
	for what, crush := range map[string]crush{
		"silent ones, from where the nodes are": {from: "127.0.0.1"},
		"some that speak, from elsewhere":       {from: "127.0.0.2", sent: "CONNECT {"},
	} {
		t.Run(what, func(t *testing.T) {
			key := file(t, "cluster.key", "sm 0123456789abcdef0123")
			nodes, listens := clusterOf(t, 1000, "--cluster-key-file", key)
			for _, at := range listens {
				crush.begin(t, at)
			}
			created := func(s *server, prefix string) {
				c := connect(t, s, inJSON)
				for n := range 100 {
					c.create(far("w").with(body{"plan_id": fmt.Sprint(prefix, n)}))
				}
			}
			for i, s := range nodes {
				created(s, fmt.Sprint("at", i, "-"))
			}
			back := nodes[2]
			if code := back.terminate(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			back.restart(t)
			created(back, "behind-")
			for end := time.Now().Add(patience); ; { // its replicas are current
				code, err := back.get("/readyz")
				if code == http.StatusOK {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("/readyz: %d, %v", code, err)
				}
			}
			for _, s := range nodes {
				if lines := s.log.grep("too many open files"); len(lines) > 0 {
					t.Errorf("the log has %q", lines[0])
				}
			}
		})
	}
}

// A crush opens connections and leaves them open.
type crush struct {
	from string // the host that it connects from
	sent string // on each
}

// begin opens connections until those that the port and the open files allow are used up many
// times over, and goes on until the test ends. The oldest is closed for the next.
func (f crush) begin(t *testing.T, to string) {
	t.Helper()
	const open = 1500
	var conns [open]net.Conn
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(f.from)}, Timeout: time.Second}
	next := func(i int) {
		conn, err := dialer.Dial("tcp", to)
		if err != nil {
			return // the node is down, or accepts no more
		}
		_, _ = conn.Write([]byte(f.sent)) // it may be closed already
		if conns[i] != nil {
			_ = conns[i].Close()
		}
		conns[i] = conn
	}
	for i := range open {
		next(i)
	}
	done := make(chan struct{})
	var going sync.WaitGroup
	going.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i = (i + 1) % open {
			select {
			case <-tick.C:
				next(i)
			case <-done:
				return
			}
		}
	})
	t.Cleanup(func() {
		close(done)
		going.Wait()
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close()
			}
		}
	})
}
