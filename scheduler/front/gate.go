package front

import (
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A gate counts the requests that are under way, and their bytes.
type gate struct {
	most      int
	mostBytes int

	mu     sync.Mutex
	number int
	bytes  int
	closed bool
	idle   chan struct{} // closed when nothing is under way; nil: no close waits
}

// enter counts a request in, or refuses it.
func (g *gate) enter(size int) *schema.Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return errStopping
	case g.number >= g.most || g.bytes+size > g.mostBytes:
		return errBusy
	}
	g.number++
	g.bytes += size
	return nil
}

// leave counts it out.
func (g *gate) leave(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.number--
	g.bytes -= size
	if g.number == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// close waits until nothing is under way, but not longer than patience, and refuses all
// requests from then on. It returns how many are still under way.
func (g *gate) close(patience time.Duration) int {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for late := false; ; {
		idle := g.tryClose(late)
		if idle == nil {
			return g.count()
		}
		select {
		case <-idle:
		case <-timer.C:
			late = true
		}
	}
}

// tryClose closes the gate when nothing is under way, or anyhow; otherwise it returns a
// channel that is closed when it is time to try again.
func (g *gate) tryClose(anyhow bool) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.number == 0 || anyhow {
		g.closed = true
		return nil
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	return g.idle
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.number
}
