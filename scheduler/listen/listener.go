package listen

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// pendingBytes bounds the replies that wait for the machine; beyond it they
	// are dropped, and libraries repeat their results.
	pendingBytes = 64 << 20
	// confirmWithin bounds the wait for the server to know our subscriptions, and goneWithin
	// that for it to have removed them.
	confirmWithin = 5 * time.Second
	goneWithin    = 2 * time.Second
	// captureLogEvery is how often streams that acknowledge in place of workers are logged.
	captureLogEvery = 10 * time.Second
)

// Config has the dependencies of a Listener. All are required, except Probe.
type Config struct {
	// Node is named in the records of workers that are written here.
	Node      string
	Store     *broker.Store
	Space     schema.Space
	Partition int
	// Dispatch is the connection that publishes the executions, because NATS reports "no
	// responders" only there.
	Dispatch *nats.Conn
	// Away is how long the connection may have been away before that is noticed.
	Disconnected time.Duration
	// Events takes received messages, in order, until Gone is closed. Captured takes captured
	// ones, and never waits.
	Events   chan<- event.Event
	Gone     <-chan struct{}
	Captured func(...event.Event)
	// Epochs takes the epochs that a worker at a station reports to have seen.
	Epochs func(workerID, station string, seen []schema.SeenEpochs)
	// Probe is called at each "message", for tests that plant panics. Nil: it is not.
	Probe     func(at string, plan schema.PlanName)
	Metrics   *metrics.Partition
	Incidents *incident.Reporter
	Log       *slog.Logger
}

// A Listener receives the messages of workers for one leader. Subscribe comes first, then
// Recall and Run, and Close last. Acknowledge and SendAcks are for one goroutine at a time,
// and so is Ask; all else is safe for concurrent use.
type Listener struct {
	config Config
	filter *replyFilter
	subs   []*nats.Subscription
	// captures limits the log of streams that acknowledge in place of workers.
	captures rate.Sometimes

	// asked is of size one, and requests a barrier, which an event.RepliesRead answers when the
	// batches up to a number are performed, too.
	asked        chan uint64
	done         atomic.Uint64 // the number of the last batch that is performed
	disconnected absence
	advanced     chan struct{} // of size one: done has changed

	// The writer and buffer of acknowledgements, and those that gather.
	w    wire.Writer
	buf  []byte
	acks acks
}

// New returns a listener that receives nothing until Subscribe.
func New(c Config) *Listener {
	return &Listener{
		config: c, filter: newReplyFilter(c.Log, func() { c.Metrics.Flooded() }),
		captures: rate.Sometimes{Interval: captureLogEvery},
		asked:    make(chan uint64, 1), advanced: make(chan struct{}, 1),
	}
}

// Expect notes that a reply may come on subject.
func (l *Listener) Expect(subject string) { l.filter.expect(subject) }

// Subscribe subscribes to the messages of workers, and has the replies that m awaits pass the
// filter. It calls subscribed, and returns when the server knows the subscriptions.
func (l *Listener) Subscribe(ctx context.Context, m *machine.Machine, subscribed func()) error {
	m.Awaited(func(x schema.ReplyName, _ bool) { l.filter.expect(l.subjectOf(x)) })
	if err := l.subscribe(); err != nil {
		return err
	}
	subscribed()
	confirm, cancel := context.WithTimeout(ctx, confirmWithin)
	defer cancel()
	if err := l.config.Dispatch.FlushWithContext(confirm); err != nil {
		return fmt.Errorf("confirm subscriptions: %w", err)
	}
	return nil
}

// Recall passes on the presence of workers, and the replies that m awaits and that were
// captured while there was no subscription. Lived is when the previous leader was last seen
// alive, by the server's clock, or zero. It returns since when all replies are known.
func (l *Listener) Recall(ctx context.Context, m *machine.Machine, lived time.Time) (time.Time, error) {
	var ended []string
	awaited := map[string]bool{}
	m.Awaited(func(x schema.ReplyName, live bool) {
		subject := l.subjectOf(x)
		awaited[subject] = true
		if !live {
			ended = append(ended, subject)
		}
	})
	reading, cancel := context.WithTimeoutCause(ctx, capturedWithin, errNotCaughtUp)
	defer cancel()
	if err := l.present(reading); err != nil {
		return time.Time{}, err
	}
	return l.captured(reading, m, lived, awaited, ended)
}

// subjectOf is the reply subject of an execution.
func (l *Listener) subjectOf(x schema.ReplyName) string {
	return l.config.Space.Reply(x.Partition, x.Station, x.PlanID, x.Exec())
}

func (l *Listener) subscribe() error {
	space := l.config.Space
	handlers := []struct {
		subject string
		handle  nats.MsgHandler
	}{
		{space.Replies(l.config.Partition), l.reply},
		{storage.Presence(space), l.presence},
		{space.Heres(), l.here},
	}
	for _, h := range handlers {
		sub, err := l.config.Dispatch.Subscribe(h.subject, func(m *nats.Msg) {
			l.config.Incidents.Contain(metrics.AtMessage, func() { h.handle(m) }, nil)
		})
		if err != nil {
			return fmt.Errorf("subscribe to %s: %w", h.subject, err)
		}
		l.subs = append(l.subs, sub)
		if err := sub.SetPendingLimits(-1, pendingBytes); err != nil {
			return fmt.Errorf("limit the pending messages of %s: %w", h.subject, err)
		}
	}
	return nil
}

// probe lets a test panic here.
func (l *Listener) probe(at string) {
	if l.config.Probe != nil {
		l.config.Probe(at, schema.PlanName{})
	}
}

// offer passes on an event; false when the leader takes no more.
func (l *Listener) offer(ev event.Event) (taken bool) {
	select {
	case l.config.Events <- ev:
		return true
	case <-l.config.Gone:
		return false
	}
}

// Close ends the subscriptions. Messages that have arrived are still handled.
func (l *Listener) Close() {
	for _, sub := range l.subs {
		if err := sub.Drain(); err != nil {
			l.config.Log.Debug("unsubscribe", "subject", sub.Subject, "error", err)
		}
	}
}

// ConfirmGone waits until the server has removed the subscriptions of the connection, for two
// seconds at most.
func (l *Listener) ConfirmGone() {
	ctx, cancel := context.WithTimeout(context.Background(), goneWithin)
	defer cancel()
	if err := l.config.Dispatch.FlushWithContext(ctx); err != nil {
		l.config.Log.Debug("unsubscribe", "error", err)
	}
}
