package embed

import (
	"context"
	"fmt"
)

// Shutdown stops the server, waits until its streams are written, and gives the
// folder free. Clients should be closed before. A second call does nothing.
func (s *Server) Shutdown() error {
	s.running.Lock()
	defer s.running.Unlock()
	s.stop()
	unlock := s.unlock
	s.unlock = func() error { return nil }
	if err := unlock(); err != nil {
		return fmt.Errorf("unlock store folder: %w", err)
	}
	return nil
}

// Restart stops nats-server and starts it again in this process, at the same
// address: after a full disk its streams take no writes until that is done, though
// they lose nothing (DESIGN section 6, rule 6). Clients reconnect.
func (s *Server) Restart(ctx context.Context) error {
	s.running.Lock()
	defer s.running.Unlock()
	s.stop()
	if err := s.run(ctx); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return nil
}

func (s *Server) stop() {
	s.mu.Lock()
	ns := s.ns
	s.ns = nil
	s.mu.Unlock()
	if ns == nil {
		return
	}
	ns.Shutdown()
	ns.WaitForShutdown()
	<-s.started
}
