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
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Options say where a server keeps its streams and where it listens.
type Options struct {
	StoreDir string // required; one process at a time
	// Listen is host:port. Port 0 or -1 picks a free one; an empty Listen makes a
	// server that is reached in process only.
	Listen string
	Name   string // unique in a cluster; empty: made up

	// SyncAlways has every write on disk before it is acknowledged. Without it
	// SyncInterval says how often the disk is synced, and how much a power cut may
	// lose; 0 means nats-server's 2 minutes.
	SyncAlways   bool
	SyncInterval time.Duration

	// PingInterval decides when a connection that died in silence is dropped, and so
	// for how long executions are sent to a dead worker. 0 means 15 s.
	PingInterval time.Duration

	MaxConns   int   // connections of clients; 0 means nats-server's 65,536
	MaxPayload int32 // bytes of one message; 0 means nats-server's 1 MiB
	MaxStore   int64 // bytes on disk; 0 means the size of the file system, or 32 GiB if that is less
	MaxMemory  int64 // bytes of streams in memory; 0 means three quarters of the RAM

	Cluster Cluster // the zero value: a server alone

	Logger *slog.Logger // nil: slog.Default(). nats-server's notices are debug lines
}

// A Cluster says which servers keep replicas together.
type Cluster struct {
	Name   string
	Listen string   // host:port for the other servers
	Routes []string // URLs of the others: nats://host:port
}

// A Server is a nats-server in this process. It is safe for concurrent use.
type Server struct {
	opts   Options
	log    *slog.Logger
	unlock func() error

	running sync.Mutex     // held while a nats-server is started or stopped
	native  server.Options // with the port that was picked
	started chan struct{}  // the server's Start has returned
	fatal   chan error     // why it could not listen

	mu sync.Mutex
	ns *server.Server // nil while none runs

	stuck atomic.Bool // it has kept somebody waiting for too long
}

// Start runs a server and returns when it takes connections and its streams are
// recovered, or with the reason why it cannot: its address or its folder is in use,
// or ctx has ended. One of a cluster is ready when a majority is there, so they are
// started side by side.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if err := os.MkdirAll(opts.StoreDir, 0o750); err != nil {
		return nil, fmt.Errorf("make store folder: %w", err)
	}
	native, err := opts.native()
	if err != nil {
		return nil, err
	}
	unlock, err := lock(opts.StoreDir)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts, log: opts.Logger, unlock: unlock, native: native}
	if err := s.run(ctx); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return s, nil
}

// native translates the options.
func (o Options) native() (server.Options, error) {
	if o.StoreDir == "" {
		return server.Options{}, errors.New("no store folder given")
	}
	n := server.Options{
		ServerName:         o.Name,
		DontListen:         o.Listen == "",
		JetStream:          true,
		StoreDir:           o.StoreDir,
		SyncAlways:         o.SyncAlways,
		SyncInterval:       o.SyncInterval,
		MaxConn:            o.MaxConns,
		MaxPayload:         o.MaxPayload,
		JetStreamMaxStore:  o.maxStore(),
		JetStreamMaxMemory: o.MaxMemory,
		PingInterval:       o.PingInterval,
		NoSigs:             true,
		// Nearly every subject is one execution's, and used once or twice. A cache of
		// who subscribes to it is then a lock, an entry and its removal for nothing.
		NoSublistCache:  true,
		JetStreamLimits: server.JSLimitOpts{MaxBatchSize: o.maxBatch()},
	}
	if n.PingInterval == 0 {
		n.PingInterval = 15 * time.Second
	}
	var err error
	if o.Listen != "" {
		if n.Host, n.Port, err = hostPort(o.Listen); err != nil {
			return n, fmt.Errorf("listen on %q: %w", o.Listen, err)
		}
	}
	if o.Cluster.Name == "" {
		return n, nil
	}
	n.Cluster.Name = o.Cluster.Name
	if n.Cluster.Host, n.Cluster.Port, err = hostPort(o.Cluster.Listen); err != nil {
		return n, fmt.Errorf("listen for the cluster on %q: %w", o.Cluster.Listen, err)
	}
	for _, r := range o.Cluster.Routes {
		u, err := url.Parse(r)
		if err != nil {
			return n, fmt.Errorf("route of the cluster: %w", err)
		}
		n.Routes = append(n.Routes, u)
	}
	return n, nil
}

// hostPort takes an address apart; nats-server picks a port when it is -1.
func hostPort(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	if port, err = strconv.Atoi(text); err != nil {
		return "", 0, fmt.Errorf("port %q is no number", text)
	}
	if port <= 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// run starts a nats-server and waits until it is healthy.
func (s *Server) run(ctx context.Context) error {
	if err := s.probe(ctx); err != nil {
		return err
	}
	native := s.native // the server writes into its options
	ns, err := server.NewServer(&native)
	if err != nil {
		return fmt.Errorf("configure nats-server: %w", err)
	}
	s.fatal = make(chan error, 1)
	ns.SetLoggerV2(newLogger(s.log, s.fatal), false, false, false)
	started := make(chan struct{})
	go func() {
		defer close(started)
		ns.Start()
	}()
	if err := s.ready(ctx, ns); err != nil {
		ns.Shutdown()
		ns.WaitForShutdown()
		<-started
		return err
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

func (s *Server) ready(ctx context.Context, ns *server.Server) error {
	for {
		if ns.ReadyForConnections(readyLook) && health(ns) == nil {
			return nil
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
	opts = append([]nats.Option{
		nats.InProcessServer(s),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(100 * time.Millisecond),
	}, opts...)
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
