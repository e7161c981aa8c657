// Package embed runs nats-server in this process.
//
// It takes a folder and an address, and gives a [Server] that clients connect to
// in process or by socket. It knows nothing of what is stored in it. No other
// package that is not a test or the node imports nats-server, so that nobody who
// imports a client has to link one.
package embed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
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
	routed atomic.Pointer[server.Server] // whose routes those are: one that starts, runs or ends

	running sync.Mutex     // held while a nats-server is started or stopped
	native  server.Options // with the port that was picked
	inside  []nats.Option  // how this process proves who it is
	started chan struct{}  // the server's Start has returned
	fatal   chan error     // why it could not listen

	wellWithin time.Duration // see there

	mu sync.Mutex
	ns *server.Server // nil while none runs

	stuck atomic.Bool // it has kept somebody waiting for too long
}

// Start runs a server and returns when it takes connections and its streams are
// recovered, or with the reason why it cannot: its address or its folder is in use, the
// folder is none for it (a part of another, or a cluster's for a server alone, or the other
// way round), a server alone has not recovered a stream, or ctx has ended. One of a cluster
// is ready when a majority is there, so they are started side by side.
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
	if err := s.takeRoutes(ctx); err != nil {
		return nil, errors.Join(err, unlock())
	}
	within := s.wellWithin
	if opts.Cluster.Name != "" {
		within = 0 // the others come when they come
	}
	if err := s.run(ctx, within); err != nil {
		return nil, errors.Join(err, s.closeRoutes(), unlock())
	}
	return s, nil
}

// takeRoutes has the other servers of the cluster find this one, as far as it runs.
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
		// A restart must come back where clients look for it.
		s.native.Port = ns.Addr().(*net.TCPAddr).Port
	}
	s.started = started
	s.mu.Lock()
	s.ns = ns
	s.mu.Unlock()
	return nil
}

// probe says who cannot have the address, before nats-server is asked: that only
// writes a line to its log and goes on without a listener.
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

// readyLook is how often a starting server is looked at. A million plans take
// seconds to recover.
const readyLook = 10 * time.Millisecond

// wellWithin is how long a server may take to be healthy once it has recovered its streams.
// One alone that has not recovered one of them, or that failed to write meanwhile, never is;
// one of a cluster, when it is restarted, loses nothing by another start.
const wellWithin = time.Minute

// errUnwell is why a server that starts is given up.
var errUnwell = errors.New("it took its connections and stayed unhealthy")

// ready waits until the server has recovered its streams and is healthy. The latter is
// waited for no longer than within; 0: as long as ctx says.
func (s *Server) ready(ctx context.Context, ns *server.Server, within time.Duration) error {
	sick := illness{log: s.log, tell: s.opts.Unwell, every: s.wellWithin / 6}
	defer sick.over()
	for {
		if ns.ReadyForConnections(readyLook) {
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
		case <-time.After(readyLook):
		}
	}
}

// An illness is the time in which a server that starts is not healthy, although it has
// recovered its streams.
type illness struct {
	log   *slog.Logger
	tell  func(error) // see Options.Unwell; may be nil
	every time.Duration

	since, logged time.Time // zero: it is healthy, as far as is known
}

// goesOn tells of what is wrong, and returns for how long something has been.
func (i *illness) goesOn(unwell error) time.Duration {
	now := time.Now()
	if i.since.IsZero() {
		i.since, i.logged = now, now
	}
	if i.tell != nil {
		i.tell(unwell)
	}
	if now.Sub(i.logged) >= i.every {
		i.log.Warn("nats-server has started and is not healthy; waiting for it", "error", unwell, "waited", now.Sub(i.since).Round(time.Second))
		i.logged = now
	}
	return now.Sub(i.since)
}

func (i *illness) over() {
	if i.tell != nil && !i.since.IsZero() {
		i.tell(nil)
	}
}

// errStopped is what a server says while Restart is under way, and after Shutdown.
var errStopped = errors.New("embedded nats-server is not running")

// current is the nats-server that runs now, or errStopped.
func (s *Server) current() (*server.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ns == nil {
		return nil, errStopped
	}
	return s.ns, nil
}

// Healthz returns what is wrong with the server's streams, such as one that stopped
// writing when the disk was full; nil when nothing is. It is ErrStuck when the server does
// not say.
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

// ClientURL is where clients of other processes connect; empty when the server
// does not listen.
func (s *Server) ClientURL() string {
	ns, err := s.current()
	if err != nil || s.opts.Listen == "" {
		return ""
	}
	return ns.ClientURL()
}

// InProcessConn makes a Server what nats.InProcessServer wants. A client connected
// that way survives Restart; it gets in only when the streams are recovered, since
// before that the server would say that there are none.
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

// MaxBatch is how many messages the server takes in one atomic batch.
func (s *Server) MaxBatch() int { return s.opts.maxBatch() }

// maxBatch is four times what nats-server takes by itself: a server alone stages
// each batch in a file of its own, which is made, synced and removed. In a cluster,
// which stages in memory, members of an older release would refuse such a batch.
func (o *Options) maxBatch() int {
	if o.Cluster.Name != "" {
		return 1000
	}
	return 4000
}

// Heard reports whether anyone subscribes to a subject: on this server, or on another
// of its cluster as far as this one has been told, which is whom it would deliver a
// message to. While there is no server to ask, the answer is yes.
func (s *Server) Heard(subject string) bool {
	ns, err := s.current()
	return err != nil || ns.GlobalAccount().SubscriptionInterest(subject)
}
