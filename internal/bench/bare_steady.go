package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// BareSteady is the yardstick for punctuality: messages that are due one after the
// other at a steady rate. Each is a row of the next append to a journal when it is
// due, and is published on core NATS to one subscriber once that is durable. Only the
// journal is stored, so that the disk has no other work.
type BareSteady struct {
	PerSecond    int           // zero means 1,000
	Duration     time.Duration // zero means 15 seconds
	Sync         bool          // every append is synced to disk before it is acknowledged
	PayloadBytes int           // of a message, and of its row, at least 8; zero means 256
}

// Run measures once, on a server with its store in a new folder in dir, and returns
// the delay of each message after its due time. It fails when ctx ends.
func (b BareSteady) Run(ctx context.Context, dir string) (_ BurstFigures, err error) {
	b = b.withDefaults()
	if b.PerSecond < 0 || b.Duration < 0 || b.PayloadBytes < 8 {
		return BurstFigures{}, fmt.Errorf("bare steady: %+v: negative, or too small", b)
	}
	e, err := startEngine(dir, b.Sync)
	if err != nil {
		return BurstFigures{}, fmt.Errorf("bare steady: %w", err)
	}
	defer func() { err = errors.Join(err, e.close()) }()
	figures, err := b.measure(ctx, e)
	if err != nil {
		return BurstFigures{}, fmt.Errorf("bare steady: %w", err)
	}
	return figures, nil
}

func (b BareSteady) withDefaults() BareSteady {
	if b.PerSecond == 0 {
		b.PerSecond = 1000
	}
	if b.Duration == 0 {
		b.Duration = 15 * time.Second
	}
	if b.PayloadBytes == 0 {
		b.PayloadBytes = 256
	}
	return b
}

func (b BareSteady) measure(ctx context.Context, e *engine) (BurstFigures, error) {
	nc, err := e.connect("scheduler")
	if err != nil {
		return BurstFigures{}, err
	}
	err = createStreams(ctx, nc, bareJournal())
	if err != nil {
		return BurstFigures{}, err
	}
	subscriber, err := e.connect("subscriber")
	if err != nil {
		return BurstFigures{}, err
	}
	r := &steadyRun{
		every: time.Second / time.Duration(b.PerSecond),
		count: max(1, int64(b.Duration.Seconds()*float64(b.PerSecond))),
		began: time.Now(),
		body:  make([]byte, b.PayloadBytes),
		last:  make(chan time.Duration, 1),
	}
	if _, err := subscriber.Subscribe(stationSubject, r.arrived); err != nil {
		return BurstFigures{}, fmt.Errorf("subscribe %s: %w", stationSubject, err)
	}
	if err := subscriber.Flush(); err != nil {
		return BurstFigures{}, fmt.Errorf("flush subscriber: %w", err)
	}
	if err := r.run(ctx, nc, e.failed); err != nil {
		return BurstFigures{}, err
	}
	select {
	case longest := <-r.last:
		return BurstFigures{P50: r.late.quantile(0.50), P99: r.late.quantile(0.99), Last: longest}, nil
	case err := <-e.failed:
		return BurstFigures{}, err
	case <-ctx.Done():
		return BurstFigures{}, context.Cause(ctx)
	}
}

// A steadyRun is one measurement. Message i is due at began and i times every.
type steadyRun struct {
	every time.Duration
	count int64
	began time.Time
	body  []byte

	// Used by the subscriber alone, until it sends the longest delay to last.
	late    latencies
	longest time.Duration
	last    chan time.Duration
}

func (r *steadyRun) due(i int64) time.Time { return r.began.Add(time.Duration(i) * r.every) }

// run makes a row of each message that is due, and publishes the durable ones, until
// all are.
func (r *steadyRun) run(ctx context.Context, nc *nats.Conn, failed <-chan error) error {
	j := journal[int64]{nc: nc, subject: journalSubject, inbox: nc.NewInbox()}
	acks := make(chan *nats.Msg, 1) // one append is in flight
	if _, err := nc.ChanSubscribe(j.inbox, acks); err != nil {
		return fmt.Errorf("subscribe acknowledgements: %w", err)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for next := int64(0); next < r.count || !j.idle(); {
		for next < r.count && !time.Now().Before(r.due(next)) {
			j.add(r.body, next)
			next++
		}
		if err := j.send(); err != nil {
			return err
		}
		if next < r.count {
			timer.Reset(time.Until(r.due(next)))
		}
		select {
		case <-timer.C:
		case msg := <-acks:
			if err := r.durable(nc, &j, msg); err != nil {
				return err
			}
		case err := <-failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// durable publishes the messages of an acknowledged append.
func (r *steadyRun) durable(nc *nats.Conn, j *journal[int64], ack *nats.Msg) error {
	group, err := j.acknowledged(ack)
	if err != nil {
		return err
	}
	for _, i := range group.effects {
		binary.BigEndian.PutUint64(r.body, uint64(i))
		if err := nc.Publish(stationSubject, r.body); err != nil { // which copies the body
			return fmt.Errorf("publish: %w", err)
		}
	}
	j.release(group)
	return nil
}

// arrived is the subscriber's callback. Messages arrive in the order of their due times.
func (r *steadyRun) arrived(msg *nats.Msg) {
	i := int64(binary.BigEndian.Uint64(msg.Data))
	late := time.Since(r.due(i))
	r.late.add(late)
	r.longest = max(r.longest, late)
	if r.late.total == r.count {
		r.last <- r.longest
	}
}
