package scheduler

import (
	"sync"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// feedback is a queue of events from the end of the pipeline back to its beginning. It is
// unbounded, because perform must never wait for decide, which may be waiting for perform; its
// input is bounded by the effects that perform was given.
type feedback struct {
	mu     sync.Mutex
	events []event.Event
	wake   chan struct{} // of size one, because one pending wake-up is enough
}

func newFeedback() *feedback {
	return &feedback{wake: make(chan struct{}, 1)}
}

// add adds events, between which no other comes.
func (a *feedback) add(events ...event.Event) {
	if len(events) == 0 {
		return
	}
	a.mu.Lock()
	a.events = append(a.events, events...)
	a.mu.Unlock()
	a.nudge()
}

func (a *feedback) nudge() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// take moves the events that have gathered behind into.
func (a *feedback) take(into []event.Event) []event.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	into = append(into, a.events...)
	clear(a.events)
	a.events = a.events[:0]
	return into
}
