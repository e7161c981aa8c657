package listen

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/running"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

const (
	// flushWithin bounds the wait for the server's answer to a flush: behind a standstill
	// the connection may have to be made again.
	flushWithin = 3 * time.Second
	// hearAgain is when it hears once more: where the nats-server was frozen too, it
	// reads its sockets first. Nothing tells whether it was, since a timer that was short
	// of its end hides a standstill.
	hearAgain = 50 * time.Millisecond
)

// Ask asks for a hearing: a machine.Listened comes behind all that was said until now, and
// when the batches up to a number are performed, too. One is asked for at a time.
func (l *Listener) Ask(sealed uint64) { l.asked <- sealed }

// Performed notes that all effects of a batch, and of those before it, were performed.
func (l *Listener) Performed(number uint64) {
	l.done.Store(number)
	select {
	case l.advanced <- struct{}{}:
	default: // who waits is about to look
	}
}

// await returns when the batches up to a number are performed, and which is the last that
// is; false when ctx ends.
func (l *Listener) await(ctx context.Context, number uint64) (last uint64, ok bool) {
	for {
		if last = l.done.Load(); last >= number {
			return last, true
		}
		select {
		case <-l.advanced:
		case <-ctx.Done():
			return last, false
		}
	}
}

// Run hands over what was missed: whenever it is asked to, and each time that the
// connection is there again, since a leader that keeps its lease through a short cut leads
// on, and the words of plain workers are said once. It ends with ctx, or with an error when
// it cannot hear.
func (l *Listener) Run(ctx context.Context) error {
	back := l.config.Dispatch.StatusChanged(nats.CONNECTED)
	defer l.config.Dispatch.RemoveStatusListener(back)
	var noting sync.WaitGroup
	defer noting.Wait()
	gone := l.config.Dispatch.StatusChanged(nats.RECONNECTING)
	defer l.config.Dispatch.RemoveStatusListener(gone) // which ends the noting
	noting.Go(func() { l.away.note(gone) })
	for {
		asked, sealed := false, uint64(0)
		select {
		case <-back:
		case sealed = <-l.asked:
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
		last, ok := l.await(ctx, sealed)
		if !ok {
			return nil
		}
		select {
		case l.config.Events <- event.Listened{To: to, Performed: last}: // behind all that was heard
		case <-ctx.Done():
			return nil
		}
	}
}

// catchUp returns when all that was said until it was called is before decide, in events
// or captured. Missed says that the connection was away. Who cannot hear for capturedWithin
// leaves the lease to another, as at a take-over: it can neither end executions whose
// answers nobody has read, nor keep them for as long as its connection is away.
func (l *Listener) catchUp(ctx context.Context, back <-chan nats.Status, missed bool) error {
	within, cancel := running.WithTimeout(ctx, capturedWithin, errDeaf)
	defer cancel()
	for again := range 2 {
		if again > 0 && rest(within) != nil {
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
func (l *Listener) hearAllMissed(ctx context.Context, back <-chan nats.Status) error {
	for {
		since := l.away.lasts()
		err := l.hearMissed(ctx, since)
		if err == nil && !drained(back) {
			l.away.heard(since)
			return nil
		}
		l.config.Log.Debug("what was said while the connection was away is read again", "error", err)
		if rest(ctx) != nil {
			return context.Cause(ctx)
		}
	}
}

// An absence is since when the connection is away, or was before all was heard again.
type absence struct {
	mu    sync.Mutex
	since time.Time // zero: it is not, and was not
}

// noteEvery is how often it is noted that the connection is there.
const noteEvery = 500 * time.Millisecond

// note notes when the connection goes, until gone is closed. Behind a standstill the process
// may look at it once before it is told that it has gone meanwhile.
func (a *absence) note(gone <-chan nats.Status) {
	ticks := time.NewTicker(noteEvery)
	defer ticks.Stop()
	last := time.Now()
	before := last
	for {
		select {
		case <-ticks.C:
			before, last = last, time.Now()
		case _, open := <-gone:
			if !open {
				return
			}
			a.mu.Lock()
			if a.since.IsZero() {
				a.since = before
			}
			a.mu.Unlock()
		}
	}
}

// lasts is since when it is away; zero: it is not.
func (a *absence) lasts() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.since
}

// heard notes that all was heard that was said in an absence. Another may have begun.
func (a *absence) heard(since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.since.Equal(since) {
		a.since = time.Time{}
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
func (l *Listener) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	return l.config.Dispatch.FlushWithContext(ctx)
}

// handled returns when all that has arrived is before decide.
func (l *Listener) handled(ctx context.Context) error {
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

// rest waits until it is time to hear again. If ctx ends first, it returns why.
func rest(ctx context.Context) error {
	select {
	case <-time.After(hearAgain):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
