package brokertest

import (
	"sync"
	"sync/atomic"
	"time"
)

// Standstills are the times in which this process did nothing, or could not: what a test
// allows for that measures, or waits for, what such a time spoils.
type Standstills struct {
	longest  atomic.Int64
	stop     chan struct{}
	watching sync.WaitGroup
}

// WatchStandstills looks at the clock all the time until Stop. By the real clock: in a
// bubble nothing stands still.
func WatchStandstills() *Standstills {
	s := &Standstills{stop: make(chan struct{})}
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
func (s *Standstills) Longest() time.Duration { return time.Duration(s.longest.Load()) }

// Stop ends the watch. It must be called once.
func (s *Standstills) Stop() {
	close(s.stop)
	s.watching.Wait()
}
