package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// maxBatch is the number of messages that the engine takes in one atomic batch, as
// the product's does.
const maxBatch = 4000

// An engine is a nats-server in this process with a store of its own. It is
// owned by one yardstick, which closes it.
type engine struct {
	srv    *server.Server
	store  string
	conns  []*nats.Conn
	failed chan error // the first error of a callback
}

// startEngine starts a server with its store in a new folder in dir. With synced,
// every message is on disk before it is acknowledged, except in streams that
// persist asynchronously.
func startEngine(dir string, synced bool) (*engine, error) {
	store, err := os.MkdirTemp(dir, "bare-")
	if err != nil {
		return nil, fmt.Errorf("make store: %w", err)
	}
	return startEngineAt(serverConfig{Store: store}, "", synced)
}

// A serverConfig has the store of a nats-server, and the servers that replicate it.
type serverConfig struct {
	Store  string   // an existing folder, removed at the end
	Routes []string // the addresses of all servers of its cluster; nil: no cluster
	Node   int      // its index in Routes
}

// startEngineAt is startEngine for a server that may be in a cluster. With a host it
// listens there, on any free port.
func startEngineAt(c serverConfig, host string, synced bool) (*engine, error) {
	cluster, routes, err := c.cluster()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.Store))
	}
	e := &engine{store: c.Store, failed: make(chan error, 1)}
	e.srv, err = server.NewServer(&server.Options{
		ServerName: fmt.Sprintf("bare%d", c.Node),
		DontListen: host == "", Host: host, Port: server.RANDOM_PORT,
		Cluster: cluster, Routes: routes,
		NoSigs:     true,
		NoLog:      true,
		JetStream:  true,
		StoreDir:   c.Store,
		SyncAlways: synced,
		// As the product sets it, because the yardstick needs the same server.
		NoSublistCache:  true,
		JetStreamLimits: server.JSLimitOpts{MaxBatchSize: maxBatch},
		// A quick machine has ten thousand replies to capture after 50 ms without a processor
		// for the capture. The server would drop them, and the run would fail.
		StreamMaxBufferedMsgs: 100_000,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make server: %w", err), os.RemoveAll(c.Store))
	}
	e.srv.Start()
	if !e.srv.ReadyForConnections(10 * time.Second) {
		return nil, errors.Join(errors.New("server is not ready after 10s"), e.close())
	}
	return e, nil
}

// cluster returns the nats-server options for the other servers of the cluster.
func (c serverConfig) cluster() (own server.ClusterOpts, routes []*url.URL, err error) {
	if len(c.Routes) == 0 {
		return own, nil, nil
	}
	host, port, err := net.SplitHostPort(c.Routes[c.Node])
	if err != nil {
		return own, nil, fmt.Errorf("read the address of a route: %w", err)
	}
	own = server.ClusterOpts{Name: "bare", Host: host}
	if own.Port, err = strconv.Atoi(port); err != nil {
		return own, nil, fmt.Errorf("read the port of a route: %w", err)
	}
	for _, address := range c.Routes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: address})
	}
	return own, routes, nil
}

// connect opens a connection within the process. It lives as long as the engine.
func (e *engine) connect(name string) (*nats.Conn, error) {
	nc, err := nats.Connect("",
		nats.InProcessServer(e.srv),
		nats.Name(name),
		nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { e.fail(err) }),
	)
	if err != nil {
		return nil, fmt.Errorf("connect %s: %w", name, err)
	}
	e.conns = append(e.conns, nc)
	return nc, nil
}

// fail keeps err for the loop, which ends with it. Only the first error counts.
func (e *engine) fail(err error) {
	select {
	case e.failed <- err:
	default:
	}
}

// close stops clients, then the server, waits for both and removes the store.
func (e *engine) close() error {
	for _, nc := range e.conns {
		nc.Close()
	}
	e.srv.Shutdown()
	e.srv.WaitForShutdown()
	return os.RemoveAll(e.store)
}

// createStreams makes streams on the engine, in the order given. It waits for a leader,
// because a cluster creates no stream until its leader knows all servers.
func createStreams(ctx context.Context, nc *nats.Conn, configs ...jetstream.StreamConfig) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("open jetstream: %w", err)
	}
	for _, cfg := range configs {
		if err := createStream(ctx, js, cfg); err != nil {
			return fmt.Errorf("create stream %s: %w", cfg.Name, err)
		}
	}
	return nil
}

// createStream asks again as long as a cluster has no leader, or one that knows too few
// servers, because without a leader most servers do not answer at all.
func createStream(ctx context.Context, js jetstream.JetStream, cfg jetstream.StreamConfig) error {
	again := time.NewTicker(50 * time.Millisecond) // because no event shows a client a new leader
	defer again.Stop()
	for {
		within, cancel := context.WithTimeout(ctx, time.Second)
		_, err := js.CreateStream(within, cfg)
		cancel()
		if !leaderless(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

func leaderless(err error) bool {
	var refused jetstream.JetStreamError
	if !errors.As(err, &refused) {
		return errors.Is(err, context.DeadlineExceeded)
	}
	switch server.ErrorIdentifier(refused.APIError().ErrorCode) {
	case server.JSClusterNotAvailErr, server.JSClusterNoPeersErrF, server.JSStreamReplicasNotSupportedErr:
		return true
	default:
		return false
	}
}

// streamState asks the server for the state of a stream.
func streamState(ctx context.Context, nc *nats.Conn, name string) (jetstream.StreamState, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return jetstream.StreamState{}, fmt.Errorf("open jetstream: %w", err)
	}
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return jetstream.StreamState{}, fmt.Errorf("look at stream %s: %w", name, err)
	}
	return stream.CachedInfo().State, nil
}
