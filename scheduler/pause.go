package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A leader that does not trust its lease performs nothing (ADR 0033). When that lasts longer than
// the lease, it stands down as far as others can see, and keeps its machine, its batches and their
// effects. When the lease is renewed, and the journal shows no other writer, it goes on with all of
// them. Nothing is loaded.

// lookAgain is the pause before the end of the journal is read again after an error.
const lookAgain = 50 * time.Millisecond

// regain returns nil when the lease is trusted. An append that lands as NATS is back is followed by
// the renewal of the lease, and its effects are to be performed, because a successor takes them for
// performed.
func (l *leader) regain(ctx context.Context) error {
	if l.held.Trusted(time.Now()) {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, cmp.Or(l.config.Lease, broker.DefaultLease))
	defer cancel()
	switch {
	case l.held.AwaitTrust(soon):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return l.proceed(ctx, protocol.Doubted{})
}

// proceed carries out the protocol's reactions to an input, and to all inputs that follow from it.
// An error ends the leadership.
func (l *leader) proceed(ctx context.Context, in protocol.In) error {
	for in != nil {
		outs := l.core.Step(in)
		in = nil
		for _, out := range outs {
			var err error
			if in, err = l.carryOut(ctx, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// carryOut does one thing, and returns the input that results from it; nil: none.
func (l *leader) carryOut(ctx context.Context, out protocol.Out) (protocol.In, error) {
	switch out := out.(type) {
	case protocol.Pause:
		l.suspend()
	case protocol.Await:
		return l.awaitTrust(ctx)
	case protocol.Look:
		return l.readEnd(ctx)
	case protocol.Resume:
		l.resume()
	case protocol.StandDown:
		if errors.Is(out.Why, protocol.ErrTaken) {
			return nil, errNoTrust
		}
		return nil, fmt.Errorf("%w: %w", errNoTrust, out.Why)
	}
	return nil, nil
}

// awaitTrust waits for as long as no other node has the lease, and the leadership is not ended.
func (l *leader) awaitTrust(ctx context.Context) (protocol.In, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.stopping, cancel)()
	switch {
	case l.held.AwaitTrust(ctx):
		return protocol.Trusted{}, nil
	case ctx.Err() == nil:
		return protocol.Taken{}, nil
	}
	return nil, errNoTrust
}

// readEnd reads the end of the journal, as long as the lease is trusted.
func (l *leader) readEnd(ctx context.Context) (protocol.In, error) {
	reading, cancel := context.WithTimeout(ctx, cmp.Or(l.config.Lease, broker.DefaultLease))
	defer cancel()
	end, err := l.appender.End(reading)
	var changed *broker.ChangedError
	switch {
	case errors.As(err, &changed):
		return nil, err
	case err != nil:
		l.log.Debug("the end of the journal could not be read", "error", err)
		if err := pause(ctx, lookAgain); err != nil {
			return nil, err
		}
		return protocol.Unread{}, nil
	case !l.held.Trusted(time.Now()):
		return protocol.Doubted{}, nil // the end that was read may be old by now
	}
	return protocol.Found{By: protocol.Writer{Holder: end.Holder, Epoch: end.Epoch}, Last: end.Seq}, nil
}

// mayPublish waits until the lease is trusted and nothing is paused. False: the leader is gone, or
// another has the lease. Any goroutine but perform may call it.
func (l *leader) mayPublish(ctx context.Context) bool {
	for l.held.AwaitTrust(ctx) {
		changed := l.changed.next()
		if !l.paused.Load() {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// suspend takes this leader out of the way of requests, and answers open calls that their outcome
// is unknown.
func (l *leader) suspend() {
	l.log.Warn("stood down", "error", errNoTrust, "plans_kept", l.plans.Load())
	l.paused.Store(true)
	l.set(nil)
	l.calls.expire(time.Now(), errUnknown)
	l.pausedAt = time.Now()
}

// resume takes requests again.
func (l *leader) resume() {
	l.paused.Store(false)
	l.set(l)
	l.log.Info("leads again with the plans that it has, because no other leader has written",
		"epoch", l.appender.Epoch(), "plans", l.plans.Load(), "after", time.Since(l.pausedAt).Round(time.Millisecond))
}
