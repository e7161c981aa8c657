package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// BareBurst is the yardstick for a burst of plans that are due at one moment:
// as many messages, published one after the other on core NATS to one subscriber
// on a connection of its own. Nothing is stored.
type BareBurst struct {
	Messages     int // zero means 10,000
	PayloadBytes int // of each message; zero means 256
}

// BurstFigures are the delays of the messages of a burst, counted from just before
// the first was published. Quantiles are at most 1/32 too high; Last is exact.
type BurstFigures struct {
	P50, P99, Last time.Duration
}

// Run measures once, on a server with its store in a new folder in dir.
func (b BareBurst) Run(ctx context.Context, dir string) (_ BurstFigures, err error) {
	if b.Messages == 0 {
		b.Messages = 10_000
	}
	if b.PayloadBytes == 0 {
		b.PayloadBytes = 256
	}
	if b.Messages < 0 || b.PayloadBytes < 0 {
		return BurstFigures{}, fmt.Errorf("bare burst: %+v: negative", b)
	}
	e, err := startEngine(dir, false)
	if err != nil {
		return BurstFigures{}, fmt.Errorf("bare burst: %w", err)
	}
	defer func() { err = errors.Join(err, e.close()) }()
	figures, err := b.measure(ctx, e)
	if err != nil {
		return BurstFigures{}, fmt.Errorf("bare burst: %w", err)
	}
	return figures, nil
}

func (b BareBurst) measure(ctx context.Context, e *engine) (BurstFigures, error) {
	publisher, err := e.connect("publisher")
	if err != nil {
		return BurstFigures{}, err
	}
	subscriber, err := e.connect("subscriber")
	if err != nil {
		return BurstFigures{}, err
	}

	var began time.Time // set before the first message leaves
	var late latencies
	last := make(chan time.Duration, 1)
	arrived := 0
	sub, err := subscriber.Subscribe(stationSubject, func(*nats.Msg) {
		d := time.Since(began)
		late.add(d)
		if arrived++; arrived == b.Messages {
			last <- d
		}
	})
	if err != nil {
		return BurstFigures{}, fmt.Errorf("subscribe %s: %w", stationSubject, err)
	}
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return BurstFigures{}, fmt.Errorf("lift limits of %s: %w", stationSubject, err)
	}
	if err := subscriber.Flush(); err != nil {
		return BurstFigures{}, fmt.Errorf("flush subscriber: %w", err)
	}

	body := make([]byte, b.PayloadBytes)
	began = time.Now()
	for range b.Messages {
		if err := publisher.Publish(stationSubject, body); err != nil {
			return BurstFigures{}, fmt.Errorf("publish: %w", err)
		}
	}
	select {
	case d := <-last:
		return BurstFigures{P50: late.quantile(0.50), P99: late.quantile(0.99), Last: d}, nil
	case err := <-e.failed:
		return BurstFigures{}, err
	case <-ctx.Done():
		return BurstFigures{}, context.Cause(ctx)
	}
}
