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
	// flushWithin bounds the wait for the server's answer to a flush, because after a stall
	// the connection may have to be made again.
	flushWithin = 3 * time.Second
	// flushAgainAfter is the pause before a second flush, because a nats-server that was
	// frozen, too, reads its sockets first. It is always made, because a timer that was short
	// of its end hides a stall of the server.
	flushAgainAfter = 50 * time.Millisecond
)

// Ask requests a barrier: an event.RepliesRead behind all messages sent until now, as soon as the
// batches up to sealed have been performed, too. Only one may be requested at a time.
func (l *Listener) Ask(sealed uint64) { l.asked <- sealed }

// Performed notes that all effects of a batch, and of those before it, were performed.
func (l *Listener) Performed(number uint64) {
	l.done.Store(number)
	select {
	case l.advanced <- struct{}{}:
	default: // the waiting goroutine is about to look
	}
}

// await waits until the batches up to a number have been performed, and returns the number of
// the last one that has; false when ctx ends.
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

// Run reads missed replies whenever Ask requests it, and each time that the connection has
// been restored, because a leader that keeps its lease through a short cut continues to lead,
// and plain workers send their replies once. It ends with ctx, or with an error when it cannot
// read them.
func (l *Listener) Run(ctx context.Context) error {
	back := l.config.Dispatch.StatusChanged(nats.CONNECTED)
	defer l.config.Dispatch.RemoveStatusListener(back)
	var noting sync.WaitGroup
	defer noting.Wait()
	gone := l.config.Dispatch.StatusChanged(nats.RECONNECTING)
	defer l.config.Dispatch.RemoveStatusListener(gone) // which ends note
	noting.Go(func() { l.disconnected.note(gone) })
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
			return fmt.Errorf("catch up with replies: %w", err)
		}
		if !asked {
			continue
		}
		// Without a timeout, because no append takes for ever, and an execution that ends
		// without waiting for it is reported behind it all the same.
		last, ok := l.await(ctx, sealed)
		if !ok {
			return nil
		}
		select {
		case l.config.Events <- event.RepliesRead{To: to, Performed: last}: // behind all received messages
		case <-ctx.Done():
			return nil
		}
	}
}

// catchUp returns when all messages sent before its call are queued for decide, in events or
// captured. Missed means that the connection was away. A leader that cannot catch up within
// capturedWithin leaves the lease to another, as at a take-over, because it can neither end
// executions whose replies are unread, nor keep them for as long as its connection is away.
func (l *Listener) catchUp(ctx context.Context, back <-chan nats.Status, missed bool) error {
	within, cancel := running.WithTimeout(ctx, capturedWithin, errNotCaughtUp)
	defer cancel()
	for again := range 2 {
		if again > 0 && pause(within) != nil {
			return context.Cause(within)
		}
		if !missed {
			err := l.flush(within)
			missed = err != nil || drained(back)
		}
		if missed {
			if err := l.replayAllMissed(within, back); err != nil {
				return err
			}
		}
		// Without a timeout, because a leader that is behind with received messages ends no
		// execution either.
		if err := l.handled(ctx); err != nil || missed {
			return err
		}
	}
	return nil
}

// replayAllMissed reads the replies that came while the connection was away, repeatedly if it
// goes away meanwhile, because messages that the server had for us are gone with the
// connection, but were captured.
func (l *Listener) replayAllMissed(ctx context.Context, back <-chan nats.Status) error {
	for {
		since := l.disconnected.lasts()
		err := l.replayMissed(ctx, since)
		if err == nil && !drained(back) {
			l.disconnected.over(since)
			return nil
		}
		l.config.Log.Debug("replies that came while the connection was down are read again", "error", err)
		if pause(ctx) != nil {
			return context.Cause(ctx)
		}
	}
}

// An absence is since when the connection is away, or was before all was replayed.
type absence struct {
	mu    sync.Mutex
	since time.Time // zero: it is not, and was not
}

// noteEvery is how often the connection is noted as present.
const noteEvery = 500 * time.Millisecond

// note notes when the connection goes away, until gone is closed. After a stall the tick may
// come once before the notice that the connection has gone meanwhile.
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

// over notes that the replies of an absence have been read. Another may have begun.
func (a *absence) over(since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.since.Equal(since) {
		a.since = time.Time{}
	}
}

// drained empties back, and reports whether the connection was away.
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

// flush returns when all messages that the server had for us at the call have arrived.
func (l *Listener) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	return l.config.Dispatch.FlushWithContext(ctx)
}

// handled returns when all messages that have arrived are queued for decide.
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

// pause waits for flushAgainAfter. If ctx ends first, it returns the cause.
func pause(ctx context.Context) error {
	select {
	case <-time.After(flushAgainAfter):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
