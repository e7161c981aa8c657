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
	// capturedWithin bounds the reading of who is there and of what was captured: who
	// cannot read it leaves the lease to another.
	capturedWithin = 15 * time.Second
	// clocksApart is how far apart the clocks of servers may be, and that of a leader which
	// sent an execution, for a reply to be found.
	clocksApart = 5 * time.Second
	// lateWords is how far back the words matter of executions that have ended while their
	// occurrences are unsettled. A late ok of theirs still counts; but what waits for a
	// retry may wait for days, and a take-over must not read all that was said meanwhile.
	lateWords = 30 * time.Second
)

var errDeaf = errors.New("what workers said could not be read in time")

// captured hands the machine what workers said while nobody led. They get no
// acknowledgement: libraries repeat. Awaited are the subjects of the executions whose
// words count; ended are those of them that have ended, and whose late words count all
// the same. Lived is as with Recall.
func (l *Listener) captured(ctx context.Context, m *machine.Machine, lived time.Time, awaited map[string]bool, ended []string) (time.Time, error) {
	replies := l.config.Store.Replies()
	state, err := replies.State(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if len(ended) > 0 {
		// There are few, and what all others said since then would be thousands of
		// times as much. A late word that came together with those of other executions
		// is not found so; a worker that can do that repeats it until it is taken.
		if err := l.hear(ctx, state.Now.Add(-lateWords-clocksApart), ended, awaited); err != nil {
			return time.Time{}, err
		}
	}
	since, any := m.Awaits()
	if !any {
		return state.Since, nil
	}
	// When they were sent is what the clock of the leader before said, which may have been
	// far ahead. What that leader had not heard was not said long before its last append.
	if lived.IsZero() {
		lived = state.Now
	}
	if lived.Before(since) {
		since = lived
	}
	return state.Since, l.hear(ctx, since.Add(-clocksApart), nil, awaited)
}

// hear hands the machine what was captured since a moment, on these subjects or, if
// they are nil, on any. Where awaited is given, what was said to other subjects changes
// nothing: a take-over reads thousands of words that were heard long ago, and does not
// have them all decoded and judged.
func (l *Listener) hear(ctx context.Context, since time.Time, on []string, awaited map[string]bool) error {
	return l.config.Store.Replies().Since(ctx, l.config.Partition, since, on, func(m *nats.Msg, _ time.Time) error {
		if _, several := schema.Unjoined(m.Subject); awaited != nil && !several && !awaited[m.Subject] {
			return nil
		}
		l.config.Incidents.Contain(metrics.AtMessage, func() {
			for ev := range l.words(m) {
				if heard, ok := ev.(event.Heard); ok {
					heard.Captured = true
					l.config.Captured(heard)
				}
			}
		}, nil)
		return nil
	})
}

// hearMissed hears what came while the connection was away, which was noticed at since; zero:
// it was not noticed.
func (l *Listener) hearMissed(ctx context.Context, since time.Time) error {
	if err := l.flush(ctx); err != nil {
		return err
	}
	// The stores have a connection of their own, which may be away for longer and keeps
	// nothing meanwhile.
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
	// Before it is noticed it was not away for longer than a lease. After that it may be for
	// long: a leader whom nobody replaces leads on.
	away := l.config.Away
	if !since.IsZero() {
		away += time.Since(since)
	}
	return l.hear(ctx, state.Now.Add(-away-clocksApart), nil, nil)
}
