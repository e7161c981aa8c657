package scheduler

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// standstill is how much longer than it meant to a look at the clock may be away. After
// more, the process was frozen or somebody has set the clock.
const standstill = 250 * time.Millisecond

// An ear keeps decide from judging before it has heard what was said by then (ADR 0017).
// The machine keeps executions whose time is up until it is told that this was heard, and
// that they have left (ADR 0022); the rest of what is due waits for nothing. But after a
// standstill all of it does: an answer that was given long ago would else count as none
// where an occurrence that is due takes the place of the one before, or is skipped for it.
type ear struct {
	looked time.Time     // the last look at the clock
	meant  time.Duration // how long after it the next was to come at the latest; negative: whenever
	deaf   time.Time     // since then what is due waits for a hearing; zero: it does not
	asks   bool          // a hearing is under way
}

func newEar() *ear { return &ear{meant: -1} }

// look notes a look at the clock, and whether it comes too late. That somebody has set
// the clock is told by the monotonic one. Unless decide says otherwise, the next look
// follows at once.
func (e *ear) look(now time.Time) {
	if !e.looked.IsZero() && !e.isDeaf() {
		passed := now.Sub(e.looked)
		jumped := now.Round(0).Sub(e.looked.Round(0)) - passed
		if jumped > standstill || e.meant >= 0 && passed > e.meant+standstill {
			e.deaf = now
		}
	}
	e.looked, e.meant = now, 0
}

// isDeaf reports whether all that is due has to wait.
func (e *ear) isDeaf() bool { return !e.deaf.IsZero() }

// askToHear asks for a hearing, and that the batches up to a number, which are sealed, are
// performed, unless one is under way.
func (d *desk) askToHear(sealed uint64) {
	if !d.ear.asks {
		d.ear.asks = true
		d.listener.Ask(sealed)
	}
}

// listened notes that all is heard that was said up to a moment. A hearing that began
// before a standstill does not end it.
func (e *ear) listened(to time.Time) {
	if e.asks = false; !to.Before(e.deaf) {
		e.deaf = time.Time{}
	}
}

// hear marks an event that comes before any look.
func (e *ear) hear(ev event.Event) event.Event {
	if heard, ok := ev.(event.Heard); ok && e.isDeaf() {
		heard.Captured = true
		return heard
	}
	return ev
}
