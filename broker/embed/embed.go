// Package embed runs nats-server in this process.
//
// It takes a folder and an address, and gives a [Server] that clients connect to
// in process or by socket. It knows nothing of the data in it. No other package
// except tests and the node imports nats-server, so that a program which imports
// a client need not link one.
package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A Server is a nats-server in this process. It is safe for concurrent use.
type Server struct {
	opts   Options
	log    *slog.Logger
	unlock func() error

	routes *routePort                    // nil without a cluster
	routed atomic.Pointer[server.Server] // the server of those routes, which starts, runs or ends

	running sync.Mutex     // held while a nats-server is started or stopped
	native  server.Options // with the chosen port
	inside  []nats.Option  // the credentials of this process
	started chan struct{}  // closed when the server's Start has returned
	fatal   chan error     // the reason why it could not listen

	wellWithin time.Duration // see the constant

	mu sync.Mutex
	ns *server.Server // nil while none runs

	stuck atomic.Bool // a call has waited for it for too long
}

// Start runs a server and returns when it accepts connections and its streams are
// recovered, or with the reason why it cannot: its address or its folder is in use, the
// folder does not fit it (a part of another, or a cluster's for a server alone, or the
// other way round), a server alone has not recovered a stream, or ctx has ended. A server
// of a cluster is ready when a majority is there, so they are started side by side.
func Start(ctx context.Context, opts Options) (*Server, error) {
	return start(ctx, opts, wellWithin)
}

func start(ctx context.Context, opts Options, wellWithin time.Duration) (*Server, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if err := CheckPlace(opts.StoreDir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(opts.StoreDir, 0o750); err != nil {
		return nil, fmt.Errorf("make store folder: %w", err)
	}
	native, err := opts.native()
	if err != nil {
		return nil, err
	}
	inside, err := opts.admitUsers(&native)
	if err != nil {
		return nil, err
	}
	unlock, err := lock(opts.StoreDir)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts, log: opts.Logger, unlock: unlock, native: native, inside: inside, wellWithin: wellWithin}
	if err := checkKind(opts.StoreDir, opts.Cluster.Name != ""); err != nil {
		return nil, errors.Join(err, unlock())
	}
	isNew := !holdsStreams(opts.StoreDir)
	if err := s.takeRoutes(ctx); err != nil {
		return nil, errors.Join(err, unlock())
	}
	within := s.wellWithin
	if opts.Cluster.Name != "" {
		within = 0 // the others start at their own time
	}
	if err := s.run(ctx, within); err != nil {
		return nil, errors.Join(err, s.closeRoutes(), unlock())
	}
	if isNew {
		folder, _ := filepath.Abs(opts.StoreDir) // empty where the present folder is not known
		s.log.Info("a new store was made, because the folder had none", "folder", cmp.Or(folder, opts.StoreDir))
	}
	return s, nil
}

// takeRoutes accepts the connections of the cluster's other servers, and forwards them to
// nats-server while it runs.
func (s *Server) takeRoutes(ctx context.Context) (err error) {
	c := &s.opts.Cluster
	if c.Name == "" {
		return nil
	}
	if s.routes, err = listenForRoutes(ctx, c, s.log, s.routed.Load); err != nil {
		return err
	}
	if s.native.Cluster.Advertise, err = s.routes.advertised(c); err != nil {
		return errors.Join(err, s.routes.close())
	}
	s.routes.parts.Go(s.routes.serve)
	return nil
}

func (s *Server) closeRoutes() error {
	if s.routes == nil {
		return nil
	}
	return s.routes.close()
}

// run starts a nats-server and waits until it is healthy, see ready.
func (s *Server) run(ctx context.Context, within time.Duration) error {
	if err := s.probe(ctx); err != nil {
		return err
	}
	native := s.native // the server writes into its options
	ns, err := server.NewServer(&native)
	if err != nil {
		return fmt.Errorf("configure nats-server: %w", err)
	}
	s.fatal = make(chan error, 1)
	ns.SetLoggerV2(newLogger(s.log, s.fatal, s.routes), false, false, false)
	s.routed.Store(ns)
	started := make(chan struct{})
	go func() {
		defer close(started)
		ns.Start()
	}()
	if err := s.ready(ctx, ns, within); err != nil {
		return errors.Join(err, s.end(ns, started))
	}
	if s.opts.Listen != "" {
		// A restarted server must have the address that its clients know.
		s.native.Port = ns.Addr().(*net.TCPAddr).Port
	}
	s.started = started
	s.mu.Lock()
	s.ns = ns
	s.mu.Unlock()
	return nil
}

// probe returns an error when the address is in use, before nats-server is started, because
// that only logs a line and goes on without a listener.
func (s *Server) probe(ctx context.Context) error {
	if s.native.DontListen || s.native.Port == server.RANDOM_PORT {
		return nil
	}
	address := net.JoinHostPort(s.native.Host, strconv.Itoa(s.native.Port))
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, errAddressInUse):
		return fmt.Errorf("%s is in use: is another nats-server or stationmaster running? (--nats-listen takes another address)", address)
	case err != nil:
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	return l.Close()
}

// readyPoll is the interval at which a starting server is checked. A million plans take
// seconds to recover.
const readyPoll = 10 * time.Millisecond

// wellWithin bounds the time until a server is healthy once it has recovered its streams. A
// server alone that has not recovered one of them, or that failed to write meanwhile, never
// is; one of a cluster, when it is restarted, loses nothing by another start.
const wellWithin = time.Minute

// errUnwell is the reason for giving up a server that starts.
var errUnwell = errors.New("it took its connections and stayed unhealthy")

// ready waits until the server has recovered its streams and is healthy. The wait for its
// health is bounded by within; 0: by ctx alone.
func (s *Server) ready(ctx context.Context, ns *server.Server, within time.Duration) error {
	sick := illness{log: s.log, report: s.opts.Unwell, every: s.wellWithin / 6}
	defer sick.over()
	for {
		if ns.ReadyForConnections(readyPoll) {
			unwell := health(ns)
			if unwell == nil {
				return nil
			}
			if lasts := sick.goesOn(unwell); within > 0 && lasts > within {
				return fmt.Errorf("start nats-server: %w for %v: %w", errUnwell, within, unwell)
			}
		}
		select {
		case err := <-s.fatal:
			return fmt.Errorf("start nats-server: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("start nats-server: %w", context.Cause(ctx))
		case <-time.After(readyPoll):
		}
	}
}

// An illness is the time in which a server that starts is not healthy, although it has
// recovered its streams.
type illness struct {
	log    *slog.Logger
	report func(error) // see Options.Unwell; may be nil
	every  time.Duration

	since, logged time.Time // zero: it is healthy, as far as is known
}

// goesOn reports the reason, and returns the time since the server was first unhealthy.
func (i *illness) goesOn(unwell error) time.Duration {
	now := time.Now()
	if i.since.IsZero() {
		i.since, i.logged = now, now
	}
	if i.report != nil {
		i.report(unwell)
	}
	if now.Sub(i.logged) >= i.every {
		i.log.Warn("nats-server has started and is not healthy; waiting for it", "error", unwell, "waited", now.Sub(i.since).Round(time.Second))
		i.logged = now
	}
	return now.Sub(i.since)
}

func (i *illness) over() {
	if i.report != nil && !i.since.IsZero() {
		i.report(nil)
	}
}

// errStopped is the error of calls during Restart, and after Shutdown.
var errStopped = errors.New("embedded nats-server is not running")

// current is the running nats-server, or errStopped.
func (s *Server) current() (*server.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ns == nil {
		return nil, errStopped
	}
	return s.ns, nil
}

// Healthz returns an error about the server's streams, such as one that stopped writing
// when the disk was full; nil when all are healthy. It is ErrStuck when the server does not
// answer.
func (s *Server) Healthz() error {
	ns, err := s.current()
	if err != nil {
		return err
	}
	return s.within(func() error { return health(ns) })
}

func health(ns *server.Server) error {
	status := ns.Healthz(&server.HealthzOptions{})
	if status.Error != "" {
		return errors.New(status.Error)
	}
	if status.StatusCode != 0 && status.StatusCode != http.StatusOK {
		return fmt.Errorf("health status %d", status.StatusCode)
	}
	return nil
}

// ClientURL is the address for clients of other processes; empty when the server does not
// listen.
func (s *Server) ClientURL() string {
	ns, err := s.current()
	if err != nil || s.opts.Listen == "" {
		return ""
	}
	return ns.ClientURL()
}

// InProcessConn makes a Server a nats.InProcessConnProvider. A client that is connected in
// this way survives Restart. Its connection is accepted only when the streams are
// recovered, because before that the server would answer that there are none.
func (s *Server) InProcessConn() (net.Conn, error) {
	ns, err := s.current()
	if err != nil {
		return nil, err
	}
	return ns.InProcessConn()
}

// Connect opens a connection in process that comes back after a Restart.
func (s *Server) Connect(opts ...nats.Option) (*nats.Conn, error) {
	opts = slices.Concat([]nats.Option{
		nats.InProcessServer(s),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(100 * time.Millisecond),
	}, s.inside, opts)
	nc, err := nats.Connect("", opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to embedded nats-server: %w", err)
	}
	return nc, nil
}

// MaxBatch is the number of messages that the server accepts in one atomic batch.
func (s *Server) MaxBatch() int { return s.opts.maxBatch() }

// maxBatch is four times nats-server's own default, because a server alone stages each
// batch in a file of its own, which is created, synced and removed. In a cluster, which
// stages in memory, members of an older release would refuse such a batch.
func (o *Options) maxBatch() int {
	if o.Cluster.Name != "" {
		return 1000
	}
	return 4000
}

// HasInterest reports whether a subject has a subscription on this server, or on another of its
// cluster as far as this one knows. Those are the servers to which it would deliver a message.
// While no server runs, the answer is true.
func (s *Server) HasInterest(subject string) bool {
	ns, err := s.current()
	return err != nil || ns.GlobalAccount().SubscriptionInterest(subject)
}
