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
// With Sync the journal is on the disk before it counts. Results and the bucket
// are persisted asynchronously: they lie behind the journal, and a server that
// syncs them one by one stores 5,000 a second. The product stores them in synced
// batches, so the yardstick promises less here than what is measured against it,
// unless SyncResults is set.
type Bare struct {
	// Outstanding is how many executions are under way at any moment, from the
	// dispatch being recorded to the "ok" being read. Zero means 2,000.
	Outstanding int
	// Plans is how many plans take turns, at least Outstanding. Zero means 10,000,
	// or Outstanding when that is more.
	Plans int
	// WarmUp is how long executions are begun before they are counted.
	WarmUp time.Duration
	// Duration is how long executions are counted whose results are heard and stored; what
	// is under way then is finished, uncounted. Zero means 5 seconds.
	Duration time.Duration
	// Sync has every append synced to disk before it is acknowledged.
	Sync bool
	// SyncResults has results synced to disk too, in atomic batches like the product's.
	// The pattern then promises as much as the product.
	SyncResults bool
	// PayloadBytes is the size of an execution, of a row, of a result and of what
	// the bucket holds of a plan. Zero means 256.
	PayloadBytes int
}

// Figures are what the bare pattern made of the machine.
type Figures struct {
	Executions int64   // within the measured time; their results were heard, and are stored
	PerSecond  float64 // of them
	// P50 and P99 are of the full cycle, from the dispatch being recorded to the
	// append that settles it being durable. One in 16 is sampled; they are at most
	// 1/32 too high.
	P50, P99 time.Duration
	// CPUPerExecution is user and system time of the whole process: server,
	// scheduler, worker and observer.
	CPUPerExecution time.Duration
	Appends         int64 // durable messages in the journal, the warm-up's included
	RowsPerAppend   float64
}

// Run measures once, on a server whose store is a new folder in dir. It fails
// when the machine stands still for long, when ctx ends, when a backlog grew in the
// measured time, and when the streams do not hold what was counted.
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
	if err := errors.Join(l.verify(ctx), l.verifyHeard(ctx)); err != nil {
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
