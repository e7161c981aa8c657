package scheduler

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/running"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
)

const (
	// standstill is how much longer than it meant to a look at the clock may be away.
	// After more, the process was frozen or somebody has set the clock.
	standstill = 250 * time.Millisecond
	// flushWithin bounds the wait for the server's answer to a flush: behind a standstill
	// the connection may have to be made again.
	flushWithin = 3 * time.Second
	// hearAgain is when it hears once more: where the nats-server was frozen too, it
	// reads its sockets first. Nothing tells whether it was, since a timer that was short
	// of its end hides a standstill.
	hearAgain = 50 * time.Millisecond
)

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

	// asked is of size one, and asks for a hearing, which a machine.Listened answers when
	// the batches up to a number are performed, too.
	asked    chan uint64
	done     atomic.Uint64 // the number of the last batch that is performed
	advanced signal        // of done
}

func newEar() *ear {
	return &ear{meant: -1, asked: make(chan uint64, 1)}
}

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

// ask asks for a hearing, and that the batches up to a number, which are sealed, are
// performed, unless one is under way.
func (e *ear) ask(sealed uint64) {
	if !e.asks {
		e.asks = true
		e.asked <- sealed
	}
}

// performed notes that all effects of a batch, and of those before it, were performed.
func (e *ear) performed(number uint64) {
	e.done.Store(number)
	e.advanced.send()
}

// await returns when the batches up to a number are performed, and which is the last that
// is; false when ctx ends.
func (e *ear) await(ctx context.Context, number uint64) (last uint64, ok bool) {
	for {
		advanced := e.advanced.next()
		if last = e.done.Load(); last >= number {
			return last, true
		}
		select {
		case <-advanced:
		case <-ctx.Done():
			return last, false
		}
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
func (e *ear) hear(ev machine.Event) machine.Event {
	if heard, ok := ev.(machine.Heard); ok && e.isDeaf() {
		heard.Captured = true
		return heard
	}
	return ev
}

// listenUp brings decide what it has missed: whenever it asks, and each time that the
// connection is there again, since a leader that keeps its lease through a short cut leads
// on, and the words of plain workers are said once. It ends with ctx.
func (l *leader) listenUp(ctx context.Context) error {
	back := l.config.Dispatch.StatusChanged(nats.CONNECTED)
	defer l.config.Dispatch.RemoveStatusListener(back)
	for {
		asked, sealed := false, uint64(0)
		select {
		case <-back:
		case sealed = <-l.ear.asked:
			asked = true
		case <-ctx.Done():
			return nil
		}
		to := time.Now()
		if err := l.catchUp(ctx, back, !asked); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("hear what was said: %w", err)
		}
		if !asked {
			continue
		}
		// However long it takes: no append takes for ever, and what ends without waiting for
		// it is said behind it all the same.
		last, ok := l.ear.await(ctx, sealed)
		if !ok {
			return nil
		}
		select {
		case l.events <- machine.Listened{To: to, Performed: last}: // behind all that was heard
		case <-ctx.Done():
			return nil
		}
	}
}

// catchUp returns when all that was said until it was called is before decide, in events
// or captured. Missed says that the connection was away. Who cannot hear for capturedWithin
// leaves the lease to another, as at a take-over: it can neither end executions whose
// answers nobody has read, nor keep them for as long as its connection is away.
func (l *leader) catchUp(ctx context.Context, back <-chan nats.Status, missed bool) error {
	within, cancel := running.WithTimeout(ctx, capturedWithin, errDeaf)
	defer cancel()
	for again := range 2 {
		if again > 0 && pause(within, hearAgain) != nil {
			return context.Cause(within)
		}
		if !missed {
			err := l.flush(within)
			missed = err != nil || drained(back)
		}
		if missed {
			if err := l.hearAllMissed(within, back); err != nil {
				return err
			}
		}
		// However long it takes: who is behind with what has arrived ends nothing either.
		if err := l.handled(ctx); err != nil || missed {
			return err
		}
	}
	return nil
}

// hearAllMissed hears what came while the connection was away, as often as it goes away
// meanwhile: what the server had for us is gone with the connection, and was captured.
func (l *leader) hearAllMissed(ctx context.Context, back <-chan nats.Status) error {
	for {
		err := l.hearMissed(ctx)
		if err == nil && !drained(back) {
			return nil
		}
		l.log.Debug("what was said while the connection was away is read again", "error", err)
		if pause(ctx, hearAgain) != nil {
			return context.Cause(ctx)
		}
	}
}

// drained takes what is in back, and reports whether anything was: the connection was away.
func drained(back <-chan nats.Status) (any bool) {
	for {
		select {
		case <-back:
			any = true
		default:
			return any
		}
	}
}

// flush returns when all that the server had for us when it was called has arrived.
func (l *leader) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	return l.config.Dispatch.FlushWithContext(ctx)
}

// handled returns when all that has arrived is before decide.
func (l *leader) handled(ctx context.Context) error {
	done := make(chan struct{})
	if err := l.config.Dispatch.Barrier(func() { close(done) }); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
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
