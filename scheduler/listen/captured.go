package listen

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// capturedWithin bounds the reading of presence records and captured replies. A leader
	// that cannot read them leaves the lease to another.
	capturedWithin = 15 * time.Second
	// clocksApart is how far apart the clocks of servers may be, and that of a leader which
	// sent an execution, for a reply to be found.
	clocksApart = 5 * time.Second
	// lateReplies is how far back replies are read to executions that have ended while their
	// occurrences are unsettled. A late ok to them still counts; but an occurrence may wait
	// for its retry for days, and a take-over must not read all replies since then.
	lateReplies = 30 * time.Second
)

var errNotCaughtUp = errors.New("the replies of workers could not be read in time")

// captured gives the machine the replies that workers sent while there was no leader. They are not
// acknowledged, because libraries repeat them. Awaited are the subjects of the executions whose
// replies count; ended are the executions that have ended, whose late replies count, too. Lived is
// as with Recall.
func (l *Listener) captured(ctx context.Context, m *machine.Machine, lived time.Time, awaited map[string]bool, ended []string) (time.Time, error) {
	replies := l.config.Store.Replies()
	state, err := replies.State(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if len(ended) > 0 {
		// These subjects are few; all other replies since then would be thousands of times as
		// much. A late reply that came joined with those to other executions is not found so;
		// a worker that can join replies repeats them until they are accepted.
		if err := l.replay(ctx, state.Now.Add(-lateReplies-clocksApart), ended, awaited); err != nil {
			return time.Time{}, err
		}
	}
	since, any := m.Awaits()
	if !any {
		return state.Since, nil
	}
	// The times of sending are those of the previous leader's clock, which may have been far
	// ahead. A reply that this leader did not receive was sent not long before its last
	// append.
	if lived.IsZero() {
		lived = state.Now
	}
	if lived.Before(since) {
		since = lived
	}
	return state.Since, l.replay(ctx, since.Add(-clocksApart), nil, awaited)
}

// replay gives the machine the replies captured since a moment, on these subjects or, if they
// are nil, on any. Unless awaited is nil, single replies to other subjects are dropped, because
// a take-over reads thousands of replies that were processed long ago, and need not decode and
// judge all of them.
func (l *Listener) replay(ctx context.Context, since time.Time, on []string, awaited map[string]bool) error {
	return l.config.Store.Replies().Since(ctx, l.config.Partition, since, on, func(m *nats.Msg, _ time.Time) error {
		if _, several := schema.Unjoined(m.Subject); awaited != nil && !several && !awaited[m.Subject] {
			return nil
		}
		l.config.Incidents.Contain(metrics.AtMessage, func() {
			for ev := range l.replies(m) {
				if reply, ok := ev.(event.ReplyReceived); ok {
					reply.Captured = true
					l.config.Captured(reply)
				}
			}
		}, nil)
		return nil
	})
}

// replayMissed reads the replies that came while the connection was away, which was noticed at
// since; zero: it was not noticed.
func (l *Listener) replayMissed(ctx context.Context, since time.Time) error {
	if err := l.flush(ctx); err != nil {
		return err
	}
	// The stores have a connection of their own, which may be away for longer and does not
	// buffer.
	if err := l.config.Store.AwaitConnection(ctx); err != nil {
		return err
	}
	if err := l.config.Store.Remake(ctx); err != nil { // a server that restarted has forgotten the capture
		return err
	}
	state, err := l.config.Store.Replies().State(ctx)
	if err != nil {
		return err
	}
	// Before an absence is noticed, it has lasted no longer than a lease. After that it may
	// last long, because a leader that is not replaced continues to lead.
	disconnected := l.config.Disconnected
	if !since.IsZero() {
		disconnected += time.Since(since)
	}
	return l.replay(ctx, state.Now.Add(-disconnected-clocksApart), nil, nil)
}
