package node

import (
	"context"
	"sync"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
)

// services offers the front while requests belong to this node. NATS hands a
// request to any node that subscribes, so one that stands by for another's leader
// must not.
type services struct {
	node  *Node
	space schema.Space
	store *broker.Store
	ready chan struct{} // closed once it is known whose the requests are

	mu      sync.Mutex
	front   *front.Front // nil: not offered
	stopped bool
}

func (s *services) isReady() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}

// run opens and closes the front as leaders come and go, until ctx ends.
func (s *services) run(ctx context.Context) error {
	known := false
	for {
		changed := s.node.scheduler.Changed()
		serves := s.node.scheduler.Serves()
		if err := s.offer(serves); err != nil {
			return err
		}
		if !known && (serves || s.node.scheduler.Ready()) {
			known = true
			close(s.ready)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// offer makes the front be there or not.
func (s *services) offer(wanted bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case wanted && s.front == nil && !s.stopped:
		f, err := front.Serve(s.node.control, front.Config{
			Node:    s.node.cfg.Node,
			Version: s.node.cfg.Version,
			Space:   s.space,
			Store:   s.store,
			Leader:  s.node.scheduler,
			Log:     s.node.log,
		})
		if err != nil {
			return err
		}
		s.front = f
	case !wanted && s.front != nil:
		return s.close()
	}
	return nil
}

// stop closes the front for good.
func (s *services) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	return s.close()
}

func (s *services) close() error {
	if s.front == nil {
		return nil
	}
	err := s.front.Stop()
	s.front = nil
	return err
}
