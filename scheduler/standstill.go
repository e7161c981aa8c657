package scheduler

import (
	"context"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
)

const (
	// standstill is how much longer than it meant to a look at the clock may be away.
	// After more, the process was frozen or somebody has set the clock.
	standstill = 250 * time.Millisecond
	// hearWithin bounds the hearing of what was said in a standstill, behind which the
	// connection may have to be made again.
	hearWithin = 3 * time.Second
	// hearAgain is when it hears once more: where the nats-server was frozen too, it
	// reads its sockets first.
	hearAgain = 50 * time.Millisecond
)

// An ear keeps decide from looking at what is due before it has heard what was said
// while it stood still: an answer in time would else count as a timeout, and be asked
// for again. (What is captured while nobody leads comes before any deadline for the
// same reason: DESIGN section 6, rule 4.)
type ear struct {
	looked time.Time     // the last look at the clock
	meant  time.Duration // how long after it the next was to come at the latest; negative: whenever
	deaf   bool          // words may be under way that are older than the clock says
	behind int           // the events that are waiting and come before any look

	stood chan struct{} // of size one: asks for a hearing
	heard chan struct{} // answers that all of it waits in events
}

func newEar() ear {
	return ear{meant: -1, stood: make(chan struct{}, 1), heard: make(chan struct{})}
}

// look notes a look at the clock, and whether it comes too late. That somebody has set
// the clock is told by the monotonic one. Unless decide says otherwise, the next look
// follows at once.
func (e *ear) look(now time.Time) {
	if !e.looked.IsZero() && !e.deaf {
		passed := now.Sub(e.looked)
		jumped := now.Round(0).Sub(e.looked.Round(0)) - passed
		if jumped > standstill || e.meant >= 0 && passed > e.meant+standstill {
			e.deaf = true
			e.stood <- struct{}{}
		}
	}
	e.looked, e.meant = now, 0
}

// caughtUp notes that all that was said waits in front of so many events.
func (e *ear) caughtUp(waiting int) { e.deaf, e.behind = false, waiting }

// listening reports whether what is due has to wait.
func (e *ear) listening() bool { return e.deaf || e.behind > 0 }

// hear marks an event that comes before any look.
func (e *ear) hear(ev machine.Event) machine.Event {
	if !e.listening() {
		return ev
	}
	e.behind = max(e.behind-1, 0)
	if heard, ok := ev.(machine.Heard); ok {
		heard.Captured = true
		return heard
	}
	return ev
}

// listenUp hears what decide has missed, each time that it stood still. It ends with ctx.
func (l *leader) listenUp(ctx context.Context) {
	for {
		select {
		case <-l.ear.stood:
		case <-ctx.Done():
			return
		}
		l.log.Debug("stood still, or the clock was set: what was said meanwhile is heard first")
		l.arrive(ctx)
		select {
		case l.ear.heard <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}

// arrive returns when all that was said until it was called is before decide, or when
// that takes too long.
func (l *leader) arrive(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, hearWithin)
	defer cancel()
	for again := range 2 {
		if again > 0 && pause(ctx, hearAgain) != nil {
			return
		}
		if l.deliver(ctx) == nil {
			continue
		}
		// The server took a process that was frozen for dead: what it had for us is gone
		// with the connection, and was captured.
		for l.hearMissed(ctx) != nil && pause(ctx, hearAgain) == nil {
		}
		return
	}
}

// deliver returns when all that the server had for us when it was called is among the
// events.
func (l *leader) deliver(ctx context.Context) error {
	if err := l.config.Dispatch.FlushWithContext(ctx); err != nil {
		return err
	}
	delivered := make(chan struct{})
	if err := l.config.Dispatch.Barrier(func() { close(delivered) }); err != nil {
		return err
	}
	select {
	case <-delivered:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause waits for d. If ctx ends first, it returns why.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
