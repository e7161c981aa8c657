package embed

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/e2e/port"
)

// A page is a log that is written and read at the same time.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// pair starts two servers that are a cluster; the log is that of the first.
func pair(t *testing.T, c Cluster) (servers [2]*Server, log *page) {
	t.Helper()
	log = new(page)
	var listens [2]string
	for i := range listens {
		var err error
		if listens[i], err = port.Free(); err != nil {
			t.Fatal(err)
		}
	}
	c.Name, c.Routes = "c", []string{"nats://" + listens[0], "nats://" + listens[1]}
	var starts sync.WaitGroup
	for i := range servers {
		o := Options{StoreDir: t.TempDir(), Listen: "127.0.0.1:0", Name: string(rune('a' + i)), Cluster: c, Logger: slog.New(slog.DiscardHandler)}
		o.Cluster.Listen = listens[i]
		if i == 0 {
			o.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		}
		starts.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var err error
			if servers[i], err = Start(ctx, o); err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() {
				if err := servers[i].Shutdown(); err != nil {
					t.Error(err)
				}
			})
		})
	}
	starts.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return servers, log
}

// ended waits until a connection is closed from the other side, and returns the bytes that
// came.
func ended(t *testing.T, conn net.Conn) string {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	response, err := io.ReadAll(conn)
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		t.Fatal("the connection stays")
	}
	return string(response)
}

// The log of nats-server names the peer that is refused, and not loopback.
func TestTheLogNamesTheServerOfAClusterConnection(t *testing.T) {
	servers, log := pair(t, Cluster{User: "u", Password: "0123456789abcdef"})
	conn, err := net.Dial("tcp", servers[0].routes.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, `CONNECT {"user":"u","pass":"guess","cluster":"c"}`+"\r\n"); err != nil {
		t.Fatal(err)
	}
	if response := ended(t, conn); !strings.Contains(response, "Authorization Violation") {
		t.Errorf("it received %q", response)
	}
	if at := conn.LocalAddr().String() + " - rid:"; !strings.Contains(log.String(), at) {
		t.Errorf("%q is not in the log:\n%s", at, log)
	}
}

// A client that speaks and never authenticates as a server of the cluster is disconnected;
// a server stays.
func TestAConnectionHasToBecomeARoute(t *testing.T) {
	servers, _ := pair(t, Cluster{})
	p, err := listenForRoutes(t.Context(), &Cluster{Listen: "127.0.0.1:0"}, slog.New(slog.DiscardHandler), servers[0].routed.Load)
	if err != nil {
		t.Fatal(err)
	}
	p.within = 4 * identifyFirst
	p.parts.Go(p.serve)
	defer func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}()
	conn, err := net.Dial("tcp", p.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "CONNECT {"); err != nil {
		t.Fatal(err)
	}
	if response := ended(t, conn); !strings.HasPrefix(response, "INFO ") {
		t.Errorf("it received %q", response)
	}
	// A connection through the port is known as a route, on either of the two.
	known := 0
	for i, s := range servers {
		ns, err := s.current()
		if err != nil {
			t.Fatal(err)
		}
		routes, err := ns.Routez(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range routes.Routes {
			if s.routes.behind.at(r.Port) == "" {
				continue
			}
			known++
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if !identified(ctx, ns, &net.TCPAddr{IP: net.ParseIP(r.IP), Port: r.Port}, time.Minute) {
				t.Errorf("server %d does not know its route", i)
			}
			cancel()
		}
	}
	if known == 0 {
		t.Error("no route came through a port")
	}
}

// A cluster outlives a restart of one of its servers within its process, because a peer
// that connects finds the new one.
func TestTheOthersFindAServerThatWasRestarted(t *testing.T) {
	servers, _ := pair(t, Cluster{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, s := range servers {
		if err := s.Restart(ctx); err != nil { // it is healthy again when a majority is there
			t.Fatal(err)
		}
	}
}

func TestAClusterAddressInUseIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Start(t.Context(), Options{StoreDir: t.TempDir(), Cluster: Cluster{Name: "c", Listen: l.Addr().String(), Routes: []string{"nats://127.0.0.1:1"}}})
	if err == nil || !strings.HasPrefix(err.Error(), l.Addr().String()+" is in use") {
		t.Errorf("got %v", err)
	}
}
