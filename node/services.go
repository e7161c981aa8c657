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

	mu      sync.Mutex
	front   *front.Front  // nil: not offered
	changed chan struct{} // closed and replaced when that changes
	stopped bool
}

// offered reports whether requests are taken here, and returns a channel that is
// closed when that changes.
func (s *services) offered() (bool, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.front != nil, s.changed
}

// run opens and closes the front as leaders come and go, until ctx ends.
func (s *services) run(ctx context.Context) error {
	for {
		changed := s.node.scheduler.Changed()
		if err := s.offer(s.node.scheduler.Serves()); err != nil {
			return err
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
		f, err := front.Serve(s.node.requests, front.Config{
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
		s.tell()
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
	s.tell()
	return err
}

func (s *services) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}
