// Package brokertest runs a real JetStream server inside a test, in milliseconds, and under
// fake time for tests that wait.
package brokertest

import (
	"log/slog"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/nats-io/nats-server/v2/server"
	_ "github.com/nats-io/nats-server/v2/server/ats" // accessTimeDone lives there
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

// accessTimeDone stops the goroutine that caches the time for the server's
// stores. The server makes it at init, outside any bubble, and a goroutine that
// waits on such a channel keeps fake time from moving.
//
//go:linkname accessTimeDone github.com/nats-io/nats-server/v2/server/ats.done
var accessTimeDone chan struct{}

// Unbuffered, so that stopping the goroutine includes seeing it stop.
func init() { accessTimeDone = make(chan struct{}) }

// Patience bounds a test's wait for an event that must come. It costs nothing when all is
// well, and a machine that stalls for some seconds, twice, does not use it up.
const Patience = 30 * time.Second

// An Option changes the server's options before it starts.
type Option func(*server.Options)

// SyncAlways puts every write on disk before it is acknowledged, as `serve` does.
func SyncAlways(o *server.Options) { o.SyncAlways = true }

// Listen has the server listen on a free port of this machine; see its ClientURL.
// Not under fake time, because a bubble does not understand sockets.
func Listen(o *server.Options) { o.DontListen, o.Host, o.Port = false, "127.0.0.1", server.RANDOM_PORT }

// FakeTime runs f in a [Bubble] with a JetStream server.
func FakeTime(t *testing.T, f func(t *testing.T, ns *server.Server), opts ...Option) {
	t.Helper()
	Bubble(t, func(t *testing.T) { f(t, Server(t, opts...)) })
}

// Bubble runs f in a bubble where time moves only when everything in it waits, and in which
// JetStream servers can run. Not for parallel tests, because the cached time is one per
// process.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	emptyPools() // a timer from outside would keep time from moving
	defer emptyPools()
	if raceDetector {
		// Go 1.26 reports to the race detector that all timers of a bubble run on one thread,
		// but a goroutine that receives from an expired timer runs it on its own thread.
		// Two at once corrupt the detector, which crashes or fails a check of its own, as
		// in golang/go issue 78156. It needs no second processor to see a race.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	synctest.Test(t, func(t *testing.T) {
		outside := accessTimeDone
		accessTimeDone = make(chan struct{})
		t.Cleanup(func() {
			time.Sleep(retryEvery)
			accessTimeDone = outside
		})

		f(t)
	})
}

// retryEvery is longer than the client sleeps (100 ms) before it sees that the connection of
// a subscription it drains is closed. Time stands still when the test's own goroutine ends,
// and a goroutine that sleeps then would never wake.
const retryEvery = time.Second

// emptyPools makes two collections, because the first one only moves the content of a
// sync.Pool aside. The NATS client keeps stopped timers in one; to start a timer of this
// bubble outside of it, or in another, is fatal.
func emptyPools() {
	runtime.GC()
	runtime.GC()
}

// Server runs a server that is shut down when the test ends. It is reached in process only,
// unless an option makes it listen.
func Server(t testing.TB, opts ...Option) *server.Server {
	t.Helper()
	o := server.Options{
		DontListen: true,
		JetStream:  true,
		StoreDir:   t.TempDir(),
		NoLog:      true,
		NoSigs:     true,
	}
	for _, opt := range opts {
		opt(&o)
	}
	ns, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	go ns.Start()
	t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	if !ns.ReadyForConnections(Patience) {
		t.Fatal("server not ready")
	}
	return ns
}

// A Place is an in-process address, behind which servers come and go.
type Place struct{ now atomic.Pointer[server.Server] }

// Runs sets the server that runs there from now on.
func (p *Place) Runs(ns *server.Server) { p.now.Store(ns) }

// InProcessConn makes a Place an address for [Connect].
func (p *Place) InProcessConn() (net.Conn, error) { return p.now.Load().InProcessConn() }

// Connect opens an in-process connection, closed when the test ends: to a server, or to the
// one that runs at a [Place] at the time of each connect.
func Connect(t testing.TB, ns nats.InProcessConnProvider, opts ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect("", append([]nats.Option{nats.InProcessServer(ns), nats.Timeout(Patience)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// Config is a small installation of one partition; it logs errors alone.
func Config(t testing.TB) broker.Config {
	return broker.Config{
		Space:        schema.Space{},
		JournalBytes: 256 << 20,
		TableBytes:   256 << 20,
		RepliesBytes: 16 << 20,
		ResultsBytes: 256 << 20,
		QueuesBytes:  256 << 20,
		Logger:       slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// Disk makes an installation of cfg find no space, for this reason, while full is true.
func Disk(cfg *broker.Config, reason error) (full *atomic.Bool) {
	full = new(atomic.Bool)
	cfg.Room = func() error {
		if full.Load() {
			return reason
		}
		return nil
	}
	return full
}

// Store provisions an installation on nc, of Config unless another is given.
func Store(t testing.TB, nc *nats.Conn, cfg ...broker.Config) *broker.Store {
	t.Helper()
	if len(cfg) == 0 {
		cfg = []broker.Config{Config(t)}
	}
	s, err := broker.Provision(t.Context(), nc, cfg[0])
	if err != nil {
		t.Fatal(err)
	}
	return s
}
