package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/forward"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// pendingBytes bounds the replies that wait for the machine; beyond it they
	// are dropped, and libraries repeat their results.
	pendingBytes = 64 << 20
	// confirmWithin bounds the wait for the server to know our subscriptions.
	confirmWithin = 5 * time.Second
	// capturedWithin bounds the reading of who is there and of what was captured: who
	// cannot read it leaves the lease to another.
	capturedWithin = 15 * time.Second
	// clocksApart is how far apart the clocks of servers may be, and that of a leader which
	// sent an execution, for a reply to be found.
	clocksApart = 5 * time.Second
	// captureTold is how often the log says that streams answer for workers.
	captureTold = 10 * time.Second
	// lateWords is how far back the words matter of executions that have ended while their
	// occurrences are unsettled. A late ok of theirs still counts; but what waits for a
	// retry may wait for days, and a take-over must not read all that was said meanwhile.
	lateWords = 30 * time.Second
	// statusNoResponders is how NATS says that nobody subscribes.
	statusNoResponders = "503"
	headerStatus       = "Status"
)

// listen subscribes to what concerns the leader, and then applies the replies that
// were captured while nobody listened: a reply between the two would be lost
// otherwise. Lived is when the leader before was last seen alive, by the server's clock,
// or zero. It returns since when all replies are known.
func (l *leader) listen(ctx context.Context, lived time.Time) (time.Time, error) {
	space := l.config.Space
	var ended []string
	awaited := map[string]bool{}
	l.machine.Awaited(func(x schema.ReplyName, live bool) {
		subject := space.Reply(x.Partition, x.Station, x.PlanID, x.Exec())
		l.door.expect(subject)
		awaited[subject] = true
		if !live {
			ended = append(ended, subject)
		}
	})
	handlers := []struct {
		subject string
		handle  nats.MsgHandler
	}{
		// A plain subscription on the connection that publishes the executions:
		// NATS says "no responders" only there.
		{space.Replies(l.index), l.reply},
		{space.Presence(), l.presence},
		{space.Heres(), l.here},
	}
	for _, h := range handlers {
		sub, err := l.config.Dispatch.Subscribe(h.subject, func(m *nats.Msg) {
			l.incidents.Contain(metrics.AtMessage, func() { h.handle(m) }, nil)
		})
		if err != nil {
			return time.Time{}, fmt.Errorf("subscribe to %s: %w", h.subject, err)
		}
		l.subs = append(l.subs, sub)
		if err := sub.SetPendingLimits(-1, pendingBytes); err != nil {
			return time.Time{}, fmt.Errorf("limit what waits of %s: %w", h.subject, err)
		}
	}
	l.post.Lead(l)
	confirm, cancel := context.WithTimeout(ctx, confirmWithin)
	defer cancel()
	if err := l.config.Dispatch.FlushWithContext(confirm); err != nil {
		return time.Time{}, fmt.Errorf("confirm subscriptions: %w", err)
	}
	reading, cancel := context.WithTimeoutCause(ctx, capturedWithin, errDeaf)
	defer cancel()
	if err := l.present(reading); err != nil {
		return time.Time{}, err
	}
	return l.captured(reading, lived, awaited, ended)
}

var errDeaf = errors.New("what workers said could not be read in time")

// captured hands the machine what workers said while nobody led. They get no
// acknowledgement: libraries repeat. Awaited are the subjects of the executions whose
// words count; ended are those of them that have ended, and whose late words count all
// the same. Lived is as with listen.
func (l *leader) captured(ctx context.Context, lived time.Time, awaited map[string]bool, ended []string) (time.Time, error) {
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
	since, any := l.machine.Awaits()
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
func (l *leader) hear(ctx context.Context, since time.Time, on []string, awaited map[string]bool) error {
	return l.config.Store.Replies().Since(ctx, l.index, since, on, func(m *nats.Msg, _ time.Time) error {
		if _, several := schema.Unjoined(m.Subject); awaited != nil && !several && !awaited[m.Subject] {
			return nil
		}
		l.incidents.Contain(metrics.AtMessage, func() {
			for ev := range l.words(m) {
				if heard, ok := ev.(machine.Heard); ok {
					heard.Captured = true
					l.after.add(heard)
				}
			}
		}, nil)
		return nil
	})
}

// hearMissed hears what came while the connection was away just now.
func (l *leader) hearMissed(ctx context.Context) error {
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
	// It was not away for longer than its lease, or it leads no more.
	away := state.Now.Add(-cmp.Or(l.config.Lease, broker.DefaultLease) - clocksApart)
	return l.hear(ctx, away, nil, nil)
}

// reply handles one message on the reply subjects.
func (l *leader) reply(m *nats.Msg) {
	for ev := range l.words(m) {
		l.meter.Reply()
		select {
		case l.events <- ev:
		case <-l.gone:
			return
		}
	}
}

// words decodes a message on the reply subjects, which may hold several replies.
func (l *leader) words(m *nats.Msg) iter.Seq[machine.Event] {
	return func(yield func(machine.Event) bool) {
		if first, several := schema.Unjoined(m.Subject); several {
			l.several(m, first, yield)
		} else if l.door.admits(m.Subject, 1) {
			if ev := l.event(m); ev != nil {
				yield(ev)
			}
		}
	}
}

// leastReply is about the least that one of several replies in a message has, in bytes.
const leastReply = 64

// several decodes a message with several replies, the first of which would have had the
// subject first alone.
func (l *leader) several(m *nats.Msg, first string, yield func(machine.Event) bool) {
	if !l.door.admits(first, 1+len(m.Data)/leastReply) {
		return
	}
	all, count := l.config.Space.ParseJoined(first, m.Data)
	var from *joined
	if l.config.Space.Answerable(m.Reply) {
		from = &joined{acknowledgement{m.Reply, wire.Detect(m.Data)}, count}
	}
	for place, r := range all {
		ev := machine.Heard{About: r.About, Reply: r.Reply, Reason: r.Reason}
		if from != nil {
			ev.From = share{from, place}
		}
		if !yield(ev) {
			return
		}
	}
}

// event decodes a reply; nil when it is about nothing of ours.
func (l *leader) event(m *nats.Msg) machine.Event {
	l.probe("message", schema.PlanName{})
	about, ok := l.config.Space.ParseReply(m.Subject)
	if !ok {
		return nil
	}
	if len(m.Data) == 0 && m.Header.Get(headerStatus) == statusNoResponders {
		return machine.Nobody{About: about}
	}
	// The worker's own encoding, until the machine knows what the plan speaks.
	enc := wire.Detect(m.Data)
	reply, reason := schema.ParseReply(m.Header, m.Data, enc)
	if reply.Stream != "" {
		l.captures.Do(func() {
			l.log.Warn("a stream has taken an execution and confirmed it in place of a worker; the execution waits on",
				"stream", reply.Stream, "station", about.Station, "plan_id", about.PlanID, "n", about.N,
				"then", "nats stream rm "+reply.Stream+", or take the subject out of it")
		})
	}
	ev := machine.Heard{About: about, Reply: reply, Reason: reason}
	if l.config.Space.Answerable(m.Reply) {
		ev.From = acknowledgement{m.Reply, enc}
	}
	return ev
}

// close ends the leadership: no more events, and who waits for an answer is told.
func (l *leader) close() {
	close(l.gone)
	if l.post != nil { // which it has from its take-over on
		l.post.Close()
	}
	for _, sub := range l.subs {
		// What has arrived is handled still, so that whoever asked is told to ask the
		// next leader, and need not find out by waiting.
		if err := sub.Drain(); err != nil {
			l.log.Debug("unsubscribe", "subject", sub.Subject, "error", err)
		}
	}
	open := error(errUnknown)
	if err := l.config.Store.Room(); err != nil {
		open = stoppedLeading(" (" + err.Error() + ")")
	}
	if l.finished && l.held.Trusted(time.Now()) {
		open = forward.ErrElsewhere
		// Once the server has it that we are gone, nothing comes to us that the next
		// leader hears, too.
		l.confirmGone()
	}
	l.calls.abandon(open)
	l.unread()
	l.errands.Wait()
	l.pen.Close()
	if l.storage != nil {
		l.storage.Close()
	}
}

// confirmGone waits until the server knows that we no longer subscribe.
func (l *leader) confirmGone() {
	ctx, cancel := context.WithTimeout(context.Background(), releaseWithin)
	defer cancel()
	if err := l.config.Dispatch.FlushWithContext(ctx); err != nil {
		l.log.Debug("unsubscribe", "error", err)
	}
}
