package scheduler

import "sync"

// A signal wakes all goroutines that wait for a change; each reads the new state itself.
type signal struct {
	mu sync.Mutex
	c  chan struct{}
}

// next returns a channel that is closed at the next change. Take it first, and then look, so that
// no change is missed.
func (s *signal) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.c == nil {
		s.c = make(chan struct{})
	}
	return s.c
}

func (s *signal) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.c != nil {
		close(s.c)
		s.c = nil
	}
}
