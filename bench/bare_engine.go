package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// maxBatch is how many messages the engine takes in one atomic batch, as the
// product's does.
const maxBatch = 4000

// An engine is a nats-server in this process with a store of its own. It is
// owned by one yardstick, which closes it.
type engine struct {
	srv    *server.Server
	store  string
	conns  []*nats.Conn
	failed chan error // the first thing that went wrong behind the yardstick's back
}

// startEngine starts a server whose store is a new folder in dir. With synced,
// every message is on the disk before it is acknowledged, except in streams that
// persist asynchronously.
func startEngine(dir string, synced bool) (*engine, error) {
	store, err := os.MkdirTemp(dir, "bare-")
	if err != nil {
		return nil, fmt.Errorf("make store: %w", err)
	}
	return startEngineAt(store, "", synced)
}

// startEngineAt is startEngine in a folder that is there, which it removes at the end. With
// a host it listens there, on any free port.
func startEngineAt(store, host string, synced bool) (*engine, error) {
	e := &engine{store: store, failed: make(chan error, 1)}
	var err error
	e.srv, err = server.NewServer(&server.Options{
		ServerName: "bare",
		DontListen: host == "", Host: host, Port: server.RANDOM_PORT,
		NoSigs:     true,
		NoLog:      true,
		JetStream:  true,
		StoreDir:   store,
		SyncAlways: synced,
		// The product's server is told the same, and the yardstick is to stand on it.
		NoSublistCache:  true,
		JetStreamLimits: server.JSLimitOpts{MaxBatchSize: maxBatch},
		// A quick machine has ten thousand replies waiting for their capture after 50 ms in
		// which that gets no processor. The server would drop them, and the run fail.
		StreamMaxBufferedMsgs: 100_000,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make server: %w", err), os.RemoveAll(store))
	}
	e.srv.Start()
	if !e.srv.ReadyForConnections(10 * time.Second) {
		return nil, errors.Join(errors.New("server is not ready after 10s"), e.close())
	}
	return e, nil
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

// fail keeps err for the loop, which ends with it. Only the first one counts.
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

// createStreams makes streams on the engine, in the order given.
func createStreams(ctx context.Context, nc *nats.Conn, configs ...jetstream.StreamConfig) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("open jetstream: %w", err)
	}
	for _, cfg := range configs {
		if _, err := js.CreateStream(ctx, cfg); err != nil {
			return fmt.Errorf("create stream %s: %w", cfg.Name, err)
		}
	}
	return nil
}

// streamState asks the server what a stream holds.
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
