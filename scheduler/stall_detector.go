package scheduler

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// standstill is how much later than planned a reading of the clock may be. After more, the process
// was frozen or the clock was set.
const standstill = 250 * time.Millisecond

// A stallDetector keeps decide from checking deadlines before the replies up to then are processed
// (ADR 0017). The machine keeps executions whose time is up until it learns that those replies are
// in, and that the executions have left (ADR 0022); other due work waits for nothing. But after a
// standstill all due work waits, because an answer given long ago would else count as none where
// the next occurrence replaces the one before, or is skipped for it.
type stallDetector struct {
	looked    time.Time     // the last reading of the clock
	meant     time.Duration // the longest time until the next reading; negative: any
	stalledAt time.Time     // since then due work waits for the replies; zero: it does not
	asks      bool          // a reading of the replies is under way
}

func newStallDetector() *stallDetector { return &stallDetector{meant: -1} }

// look records a reading of the clock, and whether it comes too late. The monotonic clock shows
// whether the wall clock was set. Unless decide plans otherwise, the next reading follows at once.
func (e *stallDetector) look(now time.Time) {
	if !e.looked.IsZero() && !e.isStalled() {
		passed := now.Sub(e.looked)
		jumped := now.Round(0).Sub(e.looked.Round(0)) - passed
		if jumped > standstill || e.meant >= 0 && passed > e.meant+standstill {
			e.stalledAt = now
		}
	}
	e.looked, e.meant = now, 0
}

// isStalled reports whether all that is due has to wait.
func (e *stallDetector) isStalled() bool { return !e.stalledAt.IsZero() }

// askForReplies asks for the replies to be read, and for the sealed batches up to a number to be
// performed, unless a reading of the replies is under way.
func (d *decider) askForReplies(sealed uint64) {
	if !d.stallDetector.asks {
		d.stallDetector.asks = true
		d.listener.Ask(sealed)
	}
}

// repliesRead records that all replies up to a moment are processed. A reading that began before a
// standstill does not end it.
func (e *stallDetector) repliesRead(to time.Time) {
	if e.asks = false; !to.Before(e.stalledAt) {
		e.stalledAt = time.Time{}
	}
}

// mark marks an event that comes before any reading of the clock.
func (e *stallDetector) mark(ev event.Event) event.Event {
	if reply, ok := ev.(event.ReplyReceived); ok && e.isStalled() {
		reply.Captured = true
		return reply
	}
	return ev
}
