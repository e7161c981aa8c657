package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// BareLeast is the minimum of work for an execution with a durable result: a request to a
// worker, its reply, one synced append for all replies that came meanwhile, then a plain
// broadcast of each result to an observer. Only the append is stored. An execution counts
// when it is in the append and the observer has its result.
type BareLeast struct {
	// Outstanding is the number of executions under way at any moment. Zero means 2,000.
	Outstanding int
	// WarmUp is the time before executions are counted, and Duration the time in which they
	// are. A Duration of zero means 5 seconds.
	WarmUp, Duration time.Duration
	// PayloadBytes is the size of an execution, of a row and of a result. Zero means 256.
	PayloadBytes int
	// Replicas is the number of servers that keep the journal. Zero means 1.
	Replicas int
}

func (b BareLeast) withDefaults() BareLeast {
	whole := Bare{Outstanding: b.Outstanding, Duration: b.Duration, PayloadBytes: b.PayloadBytes}.withDefaults()
	b.Outstanding, b.Duration, b.PayloadBytes = whole.Outstanding, whole.Duration, whole.PayloadBytes
	b.Replicas = max(b.Replicas, 1)
	return b
}

// Run measures once, on a server with its store in a new folder in dir. It fills in only the
// figures of the measured time.
func (b BareLeast) Run(ctx context.Context, dir string) (f Figures, err error) {
	b = b.withDefaults()
	if b.Outstanding < 0 || b.WarmUp < 0 || b.Duration < 0 || b.PayloadBytes < rowNumberBytes {
		return f, fmt.Errorf("bare: %+v: negative, or no room for a number", b)
	}
	e, err := startEngine(dir, true)
	if err != nil {
		return f, fmt.Errorf("bare: %w", err)
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if f, err = b.measure(ctx, e); err != nil {
		return Figures{}, fmt.Errorf("bare: least: %w", err)
	}
	return f, nil
}

func (b BareLeast) measure(ctx context.Context, e *engine) (f Figures, err error) {
	observer, err := e.connect("observer")
	if err != nil {
		return f, err
	}
	var answered, received atomic.Int64
	if err := listen(observer, resultPrefix+"*", func(*nats.Msg) { received.Add(1) }); err != nil {
		return f, err
	}
	err = startWorker(e, func(_ *nats.Conn, msg *nats.Msg) error {
		defer answered.Add(1)
		return msg.Respond(replyOK)
	})
	if err != nil {
		return f, err
	}
	l, err := newLeast(ctx, e.connect, b)
	if err != nil {
		return f, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, b.WarmUp+b.Duration+stopWithin, errors.New("not all executions came back"))
	defer cancel()
	from := outside{ended: counted(&answered), received: counted(&received), cpu: ownCPU, stored: leastStored(observer, b.PayloadBytes)}
	measured, stop := inBackground(ctx, from, b.WarmUp, b.Duration)
	defer stop()
	seen, err := l.run(ctx, measured, e.failed)
	if err != nil {
		return f, err
	}
	if err := drain(ctx, observer); err != nil {
		return f, err
	}
	if received.Load() != l.settled || answered.Load() != l.settled {
		return f, fmt.Errorf("%d executions were answered, %d appended, %d received", answered.Load(), l.settled, received.Load())
	}
	f.Executions, f.PerSecond, f.CPUPerExecution = seen.executions(), seen.perSecond(), seen.cpuPerExecution()
	return f, seen.steady(b.Outstanding)
}

// rowNumberBytes is the length of the two numbers at the beginning of each row: its own number
// in the journal, from 1, and that of its plan's execution.
const rowNumberBytes = 16

// leastStored counts the executions in the journal.
func leastStored(nc *nats.Conn, payloadBytes int) counter {
	return func(ctx context.Context) (int64, error) {
		js, err := jetstream.New(nc)
		if err != nil {
			return 0, fmt.Errorf("open jetstream: %w", err)
		}
		stream, err := js.Stream(ctx, journalStream)
		if err != nil {
			return 0, fmt.Errorf("look at the journal: %w", err)
		}
		last, err := stream.GetLastMsgForSubject(ctx, journalSubject)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return 0, nil
		case err != nil:
			return 0, fmt.Errorf("read the journal's last append: %w", err)
		case len(last.Data) < payloadBytes:
			return 0, fmt.Errorf("the journal's last append has %d bytes", len(last.Data))
		}
		return int64(binary.BigEndian.Uint64(last.Data[len(last.Data)-payloadBytes:])), nil
	}
}

// A leastLoop takes the scheduler's place. One goroutine owns it.
type leastLoop struct {
	nc            *nats.Conn
	inbox         chan *nats.Msg // replies and acknowledgements
	replies, acks *nats.Subscription
	journal       journal[int] // with the plan of each row
	plans         []barePlan
	added         uint64 // rows so far
	underWay      int
	settled       int64
}

// newLeast makes the journal, and the loop with connections of its own.
func newLeast(ctx context.Context, connect func(name string) (*nats.Conn, error), b BareLeast) (*leastLoop, error) {
	nc, err := connect("scheduler")
	if err != nil {
		return nil, err
	}
	replicated := bareJournal()
	replicated.Replicas = b.Replicas
	err = createStreams(ctx, nc, replicated)
	if err != nil {
		return nil, err
	}
	store, err := connect("store")
	if err != nil {
		return nil, err
	}
	l := &leastLoop{
		nc: nc, journal: journal[int]{nc: store, subject: journalSubject, inbox: store.NewInbox()},
		plans: newPlans(b.Outstanding, b.PayloadBytes),
		inbox: make(chan *nats.Msg, b.Outstanding+1), // a reply of each, and an acknowledgement
	}
	if l.replies, err = nc.ChanSubscribe("plan.reply.0.>", l.inbox); err != nil {
		return nil, fmt.Errorf("subscribe replies: %w", err)
	}
	if l.acks, err = store.ChanSubscribe(l.journal.inbox, l.inbox); err != nil {
		return nil, fmt.Errorf("subscribe acknowledgements: %w", err)
	}
	if err := nc.Flush(); err != nil {
		return nil, fmt.Errorf("flush subscriptions: %w", err)
	}
	return l, nil
}

// run keeps an execution of every plan under way until measured has its window, then finishes
// those under way.
func (l *leastLoop) run(ctx context.Context, measured <-chan sighting, failed <-chan error) (seen sighting, err error) {
	for i := range l.plans {
		if err := l.dispatch(i); err != nil {
			return seen, err
		}
	}
	ended := false
	for !ended || l.underWay > 0 {
		select {
		case msg := <-l.inbox:
			if err := l.take(msg, !ended); err != nil {
				return seen, err
			}
		case seen = <-measured:
			if ended = true; seen.err != nil {
				return seen, seen.err
			}
		case err := <-failed:
			return seen, err
		case <-ctx.Done():
			return seen, context.Cause(ctx)
		}
	}
	if err := l.nc.Flush(); err != nil { // the last results
		return seen, fmt.Errorf("tell the results: %w", err)
	}
	return seen, nil
}

// take handles msg and the messages behind it in the inbox, then sends the next append.
func (l *leastLoop) take(msg *nats.Msg, again bool) error {
	for n := len(l.inbox); ; n-- {
		handle := l.replied
		if msg.Sub == l.acks {
			handle = func(msg *nats.Msg) error { return l.committed(msg, again) }
		}
		if err := handle(msg); err != nil {
			return err
		}
		if n == 0 {
			return l.journal.send()
		}
		msg = <-l.inbox
	}
}

func (l *leastLoop) dispatch(i int) error {
	p := &l.plans[i]
	p.n++
	p.underWay = true
	l.underWay++
	if err := l.nc.PublishRequest(stationSubject, p.reply(), p.body); err != nil {
		return fmt.Errorf("publish an execution: %w", err)
	}
	return nil
}

func (l *leastLoop) replied(msg *nats.Msg) error {
	i, n, err := parseReply(msg.Subject)
	if err != nil {
		return err
	}
	if i >= len(l.plans) || l.plans[i].n != n || !l.plans[i].underWay {
		return fmt.Errorf("reply on %s: no such execution is under way", msg.Subject)
	}
	p := &l.plans[i]
	p.underWay = false
	l.added++
	binary.BigEndian.PutUint64(p.body, l.added)
	binary.BigEndian.PutUint64(p.body[8:], n)
	l.journal.add(p.body, i)
	return nil
}

// committed publishes the results of an append that is durable. It sends the next append
// first, so that the disk works meanwhile.
func (l *leastLoop) committed(msg *nats.Msg, again bool) error {
	group, err := l.journal.acknowledged(msg)
	if err != nil {
		return err
	}
	if err := l.journal.send(); err != nil {
		return err
	}
	for _, i := range group.effects {
		l.underWay--
		l.settled++
		if err := l.nc.Publish(l.plans[i].resultSubject, l.plans[i].body); err != nil {
			return fmt.Errorf("tell a result: %w", err)
		}
		if again {
			if err := l.dispatch(i); err != nil {
				return err
			}
		}
	}
	l.journal.release(group)
	return nil
}
