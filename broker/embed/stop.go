package embed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/internal/running"
)

// ErrStuck means that nats-server waits for itself, and neither answers a health check nor ends.
// This was seen when the disk became full while rows were replaced, because the store takes a
// lock that it holds. Only the end of the process helps, which loses nothing.
var ErrStuck = errors.New("nats-server is stuck")

// answersWithin bounds the time in which nats-server answers a health check, or ends, on a
// slow disk, while this process runs.
const answersWithin = 30 * time.Second

// within calls f, and waits for it no longer than answersWithin, or not at all once a call
// has exceeded that. Then f goes on until the process ends.
func (s *Server) within(f func() error) error {
	if s.stuck.Load() {
		return ErrStuck
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	late, cancel := running.WithTimeout(context.Background(), answersWithin, ErrStuck)
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-late.Done():
		s.stuck.Store(true)
		return fmt.Errorf("%w: no answer within %v", ErrStuck, answersWithin)
	}
}

// Shutdown stops the server, waits until its streams are written, and releases the folder.
// Clients should be closed before. A second call does nothing. After ErrStuck the folder
// stays taken until the process ends.
func (s *Server) Shutdown() error {
	s.running.Lock()
	defer s.running.Unlock()
	if err := s.stop(); err != nil {
		return err
	}
	err := s.closeRoutes()
	s.routes = nil
	unlock := s.unlock
	s.unlock = func() error { return nil }
	if wrong := unlock(); wrong != nil {
		err = errors.Join(err, fmt.Errorf("unlock store folder: %w", wrong))
	}
	return err
}

// Restart stops nats-server and starts it again in this process, at the same address,
// because after a full disk its streams accept no writes until a restart, though they lose
// nothing. Clients reconnect. The error is ErrStuck when it cannot be stopped; after
// another one there is no server, and the next Restart starts one.
func (s *Server) Restart(ctx context.Context) error {
	s.running.Lock()
	defer s.running.Unlock()
	if err := s.stop(); err != nil {
		return err
	}
	if err := s.run(ctx, s.wellWithin); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return nil
}

func (s *Server) stop() error {
	if s.stuck.Load() {
		return ErrStuck // also when Restart has found it, and none is current
	}
	s.mu.Lock()
	ns := s.ns
	s.ns = nil
	s.mu.Unlock()
	if ns == nil {
		return nil
	}
	return s.end(ns, s.started)
}

// end stops a nats-server; started is closed when its start has returned.
func (s *Server) end(ns *server.Server, started <-chan struct{}) error {
	return s.within(func() error {
		ns.Shutdown()
		ns.WaitForShutdown()
		<-started
		s.routed.CompareAndSwap(ns, nil)
		return nil
	})
}
