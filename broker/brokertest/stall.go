package brokertest

import (
	"sync"
	"sync/atomic"
	"time"
)

// Stalls are the times in which this process did not run. A test that measures or waits
// allows for them, because they spoil its figures.
type Stalls struct {
	longest  atomic.Int64
	stop     chan struct{}
	watching sync.WaitGroup
}

// WatchStalls looks at the clock all the time until Stop. It uses the real clock, because
// in a bubble nothing stalls.
func WatchStalls() *Stalls {
	s := &Stalls{stop: make(chan struct{})}
	s.watching.Go(func() {
		look := time.NewTicker(10 * time.Millisecond)
		defer look.Stop()
		for last, stopped := time.Now(), false; !stopped; {
			select {
			case <-look.C:
			case <-s.stop:
				stopped = true
			}
			now := time.Now()
			s.longest.Store(max(s.longest.Load(), int64(now.Sub(last))))
			last = now
		}
	})
	return s
}

// Longest is the longest time between two looks so far.
func (s *Stalls) Longest() time.Duration { return time.Duration(s.longest.Load()) }

// Stop ends the watch. It must be called once.
func (s *Stalls) Stop() {
	close(s.stop)
	s.watching.Wait()
}
