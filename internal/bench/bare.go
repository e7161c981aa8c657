package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Bare is the yardstick for recurring plans through a worker: the pattern that
// the product is built on, and nothing else. All of it runs in this process, on
// one server.
//
//   - A dispatch is a row of the next append to the journal. One append is one
//     message of at most 1,000 rows, fenced by the stream's expected last
//     sequence; one is in flight while the next one gathers.
//   - Once its append is durable the execution is published on core NATS.
//   - A worker on a connection of its own, in a queue group, answers "running"
//     and "ok". A stream in memory captures the replies without acknowledging
//     them; the scheduler subscribes to them directly.
//   - "ok" is a row of the next append, in which another plan is dispatched in its
//     place. Once that is durable the result is published to a stream, singly.
//   - Every second the plans that changed are written to the bucket, singly.
//
// With Sync the journal is on disk before it counts. Results and the bucket are
// persisted asynchronously, because they follow the journal, and a server that
// syncs them one by one stores 5,000 a second. The product stores them in synced
// batches, so that the yardstick promises less here than the product, unless
// SyncResults is set.
type Bare struct {
	// Outstanding is the number of executions under way at any moment, from the
	// record of the dispatch to the "ok". Zero means 2,000.
	Outstanding int
	// Plans is the number of plans that take turns, at least Outstanding. Zero means
	// 10,000, or Outstanding when that is more.
	Plans int
	// WarmUp is the time before executions are counted.
	WarmUp time.Duration
	// Duration is the time in which executions are counted, each by its published and
	// stored result; later ones are finished, uncounted. Zero means 5 seconds.
	Duration time.Duration
	// Sync makes the server sync every append to disk before it acknowledges it.
	Sync bool
	// SyncResults makes it sync results too, in atomic batches like the product's, so
	// that the pattern promises as much as the product.
	SyncResults bool
	// PayloadBytes is the size of an execution, of a row, of a result and of a plan
	// in the bucket. Zero means 256.
	PayloadBytes int
}

// Figures are the results of one run of the bare pattern.
type Figures struct {
	Executions int64   // within the measured time, with results that were received and stored
	PerSecond  float64 // of them
	// P50 and P99 are of the full cycle, from the record of the dispatch until the
	// append that settles it is durable. One in 16 is sampled; they are at most
	// 1/32 too high.
	P50, P99 time.Duration
	// CPUPerExecution is user and system time of the whole process: server,
	// scheduler, worker and observer.
	CPUPerExecution time.Duration
	Appends         int64 // durable messages in the journal, the warm-up's included
	RowsPerAppend   float64
}

// Run measures once, on a server with its store in a new folder in dir. It fails
// when the machine stalls for long, when ctx ends, when a backlog grew in the
// measured time, and when the streams do not agree with the count.
func (b Bare) Run(ctx context.Context, dir string) (_ Figures, err error) {
	b = b.withDefaults()
	if b.Outstanding < 0 || b.Plans < b.Outstanding || b.PayloadBytes < 0 || b.Duration < 0 || b.WarmUp < 0 {
		return Figures{}, fmt.Errorf("bare: %+v: negative, or fewer plans than outstanding executions", b)
	}
	e, err := startEngine(dir, b.Sync)
	if err != nil {
		return Figures{}, fmt.Errorf("bare: %w", err)
	}
	defer func() { err = errors.Join(err, e.close()) }()

	l, err := newLoop(ctx, e, b)
	if err != nil {
		return Figures{}, fmt.Errorf("bare: %w", err)
	}
	if err := l.run(ctx); err != nil {
		return Figures{}, fmt.Errorf("bare: %w", err)
	}
	if err := errors.Join(l.verify(ctx), l.verifyReceived(ctx)); err != nil {
		return Figures{}, fmt.Errorf("bare: %w", err)
	}
	return l.figures, nil
}

func (b Bare) withDefaults() Bare {
	if b.Outstanding == 0 {
		b.Outstanding = 2000
	}
	if b.Plans == 0 {
		b.Plans = max(10_000, b.Outstanding)
	}
	if b.Duration == 0 {
		b.Duration = 5 * time.Second
	}
	if b.PayloadBytes == 0 {
		b.PayloadBytes = 256
	}
	return b
}
