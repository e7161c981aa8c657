package node

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/broker/embed"
)

const (
	tendEvery = time.Second
	// sickAtMost is how many looks in a row may find the embedded server unhealthy: looks,
	// since a process that was paused has taken none.
	sickAtMost = 10
	// staleAfter is how long the embedded server may take to say how it is before it counts
	// as unhealthy.
	staleAfter = 2 * time.Second
)

// tend restarts the embedded nats-server when it has been unhealthy for too long.
// After a full disk a stream takes no writes until its server is restarted, though
// nothing is lost and space is free again.
func (n *Node) tend(ctx context.Context) {
	look := time.NewTicker(tendEvery)
	defer look.Stop()
	var sick int // how many looks in a row have found it unhealthy
	var full bool
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		full = n.tellRoom(full)
		n.health.ask(time.Now())
		err := n.server.Healthz()
		n.health.tell(err)
		switch {
		case errors.Is(err, embed.ErrStuck):
			n.giveUp(err)
			return
		case err == nil:
			sick = 0
			continue
		case sick == 1: // it finds one that is just being made to be lost
			n.log.Warn("nats-server is unhealthy", "error", err)
		}
		if sick++; sick <= sickAtMost {
			continue
		}
		n.log.Error("nats-server stayed unhealthy and is restarted", "error", err)
		switch err := n.server.Restart(ctx); {
		case errors.Is(err, embed.ErrStuck):
			n.giveUp(err)
			return
		case err != nil:
			n.log.Error("nats-server does not come back; trying again", "error", err)
		}
		sick = 0
	}
}

// A health is how the embedded server was when it was last asked.
type health struct {
	mu    sync.Mutex
	asked time.Time // zero: it has answered
	err   error
}

func (h *health) ask(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = now
}

func (h *health) tell(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked, h.err = time.Time{}, err
}

// lacks says why it is not well; nil: it is.
func (h *health) lacks(now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil && !h.asked.IsZero() && now.Sub(h.asked) > staleAfter {
		return fmt.Errorf("it has not said for %v how it is", now.Sub(h.asked).Round(100*time.Millisecond))
	}
	return h.err
}

// tellRoom says in the log when the disk has become full, and when it is no more.
func (n *Node) tellRoom(was bool) (full bool) {
	err := n.server.Room()
	switch {
	case err != nil && !was:
		n.log.Error("this node writes nothing, and leads nothing", "error", err)
	case err == nil && was:
		n.log.Warn("there is room on the disk again")
	}
	return err != nil
}

// giveUp ends a node whose server only the end of the process can end.
func (n *Node) giveUp(err error) {
	n.end(fmt.Errorf("%w; this process ends and is to be started again: nothing is lost that was acknowledged", err))
}
