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
	superviseEvery = time.Second
	// sickAtMost is the number of successive checks that may find the embedded server
	// unhealthy. It counts checks and not time, because a process that was paused has made
	// none.
	sickAtMost = 10
	// staleAfter is the time without an answer from the embedded server's health check
	// after which it counts as unhealthy.
	staleAfter = 2 * time.Second
)

// superviseServer restarts the embedded nats-server when it has been unhealthy for too
// long, because after a full disk a stream takes no writes until its server is restarted,
// though nothing is lost and space is free again.
func (n *Node) superviseServer(ctx context.Context) {
	look := time.NewTicker(superviseEvery)
	defer look.Stop()
	var sick int // successive checks that found it unhealthy
	var disk fill
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		disk = n.logRoom(disk)
		n.health.ask(time.Now())
		err := n.server.Healthz()
		n.health.answered(err)
		switch {
		case errors.Is(err, embed.ErrStuck):
			n.giveUp(err)
			return
		case err == nil:
			sick = 0
			continue
		case sick == 1: // not at the first, because a stream that is just being created counts as lost
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

// A health is the embedded server's last answer to a health check.
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

func (h *health) answered(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked, h.err = time.Time{}, err
}

// lacks returns the reason why the server is unhealthy; nil: it is healthy.
func (h *health) lacks(now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil && !h.asked.IsZero() && now.Sub(h.asked) > staleAfter {
		return fmt.Errorf("it has not answered a health check for %v", now.Sub(h.asked).Round(100*time.Millisecond))
	}
	return h.err
}

// A fill is how full the disk is.
type fill int

const (
	roomy      fill = iota
	nearlyFull      // nothing is added
	full            // nothing is written
)

// logRoom logs when the disk has become full or nearly full, and when there is space again.
func (n *Node) logRoom(was fill) (is fill) {
	err, nearly := n.server.Room(), n.server.Spare(0)
	switch {
	case err != nil:
		is = full
	case nearly != nil:
		is = nearlyFull
	}
	switch {
	case is == was:
	case is == full:
		n.log.Error("this node writes nothing, and leads nothing", "error", err)
	case is == nearlyFull:
		n.log.Warn("this node refuses requests that add", "error", nearly)
	default:
		n.log.Warn("there is room on the disk again")
	}
	return is
}

// giveUp ends a node whose server cannot be stopped except by the end of the process.
func (n *Node) giveUp(err error) {
	n.end(fmt.Errorf("%w; this process ends and is to be started again: nothing is lost that was acknowledged", err))
}
