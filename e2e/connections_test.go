package e2e

import (
	"net"
	"net/http"
	"testing"

	"github.com/nats-io/nats.go"
)

// A process with few open files, and more connections to one of its ports than those:
// what the other port and the stores need is left to them.
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
		// nats-server takes each connection before it turns it away.
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
			work.take().tell(body{"state": "ok"})

			var opened []net.Conn
			for range tt.flood {
				conn, err := net.Dial("tcp", tt.at(s))
				if err != nil {
					break // what it does not take
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
				work.take().tell(body{"state": "ok"})
			}
			if code, err := s.get("/readyz"); err != nil || code != http.StatusOK {
				t.Errorf("/readyz: %d, %v", code, err)
			}
			c.req("plans.get", name("w", "goes"))
			if tt.at(s) != s.nats {
				operator, err := nats.Connect("nats://"+s.nats, nats.Timeout(patience))
				if err != nil {
					t.Fatalf("nobody new reaches NATS: %v", err)
				}
				operator.Close()
			}
			if lines := s.log.grep("too many open files"); len(lines) > 0 {
				t.Errorf("the log says %q", lines)
			}
			if code := s.terminate(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
