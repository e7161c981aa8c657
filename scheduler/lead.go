package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/internal/running"
	"github.com/stationmaster-io/stationmaster/scheduler/forward"
	"github.com/stationmaster-io/stationmaster/scheduler/listen"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/scheduler/storing"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// stuckAfter is how long an append may stay unanswered while this process runs.
	stuckAfter = 10 * time.Second
	// eventsAhead bounds the events that wait for the machine, and the requests.
	eventsAhead = 4096
	// effectsOnTrust is how many effects follow a check of the lease.
	effectsOnTrust = 256
	// batchesAhead is the number of batches under way. One gathers, one is written, one is
	// performed, and one is free, so that none waits for another.
	batchesAhead = 4
)

var (
	// errNoTrust ends a leadership whose lease another node may hold by now.
	errNoTrust   = errors.New("the lease could not be renewed in time")
	errStuck     = errors.New("the journal took no append for 10 seconds; look at the server's disk and health")
	errSlowDrain = errors.New("decided effects could not be finished in time")
)

// A leader acts for a partition: decide → commit → perform.
type leader struct {
	*partition
	began    time.Time
	machine  *machine.Machine
	appender *broker.Appender
	held     *broker.Held
	core     *protocol.Core // perform steps it
	post     *forward.Subscription
	calls    *calls
	errands  sync.WaitGroup // answers on their way to other nodes
	gone     chan struct{}  // closed when it no longer takes events
	left     []event.Event  // events that decide had accepted when its machine panicked
	// finished reports that every decided effect is performed, because open calls were not begun.
	finished bool
	// stopping ends when nothing more is to be decided. While paused, no caller is answered.
	stopping context.Context
	paused   atomic.Bool
	pausedAt time.Time
	// performedTo is the last append all of whose effects are performed, begun the last one of
	// which any is. Only perform uses begun.
	performedTo atomic.Uint64
	begun       uint64

	events        chan event.Event // from workers and NATS
	asks          chan event.Event // requests; separate, because they wait while there is no room for them
	after         *feedback
	stallDetector *stallDetector
	older         older
	listener      *listen.Listener

	free         chan *batch.Batch
	appenderFree chan struct{}
	stall        stall
	backpressure backpressure
	sealed       chan sealed
	durable      chan durable

	storage *storing.Storage
	reading context.Context // ends with the leader, behind which nothing is read back
	unread  context.CancelFunc

	// The encoder of perform's messages, one after the other.
	encoder

	gauge
}

// An encoder encodes executions. Its buffers are reused for each.
type encoder struct {
	w      wire.Writer
	buf    []byte
	header header
}

// sealed is a batch whose rows are encoded; body is empty if it has none.
type sealed struct {
	batch    *batch.Batch
	body     []byte
	checksum string // of the plans behind the batch
}

// durable is a batch whose rows are on disk, as append seq of the journal (0: it had none).
type durable struct {
	batch *batch.Batch
	seq   uint64
}

// drainWithin bounds how long a leader may take to finish its decided batches after it is stopped.
const drainWithin = 5 * time.Second

// lead runs until the lease is lost or the journal has another writer. When ctx ends it decides
// nothing more, but decided batches are committed, performed and stored; then it returns nil. It
// calls stop when its machine has panicked.
func (l *leader) lead(ctx context.Context, stop context.CancelCauseFunc) error {
	l.stopping = ctx
	hard, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	late := time.AfterFunc(time.Hour, func() { cancel(errSlowDrain) })
	late.Stop()
	defer late.Stop()
	stopWatch := context.AfterFunc(ctx, func() { late.Reset(drainWithin) })
	defer stopWatch()

	group, run := errgroup.WithContext(hard)
	drained := make(chan struct{}) // closed when all decided effects are stored
	watched, unwatch := context.WithCancel(run)
	defer unwatch()
	// A panic of one of them ends the leadership, not the process, because the next leader takes up
	// every append.
	group.Go(l.incidents.Guard(metrics.AtStep, func() error { return l.decide(run, ctx.Done(), stop) }))
	group.Go(l.incidents.Guard(metrics.AtStore, func() error { return l.commit(run) }))
	group.Go(l.incidents.Guard(metrics.AtPerform, func() error { return l.perform(run) }))
	group.Go(func() error {
		return l.storage.Run(run, func() {
			unwatch()
			close(drained)
		})
	})
	group.Go(func() error {
		err := l.config.Store.Watch(watched)
		if watched.Err() != nil {
			return nil // the cause is already recorded
		}
		return fmt.Errorf("watch the stores: %w", err)
	})
	group.Go(l.incidents.Guard(metrics.AtMessage, func() error { return l.listener.Run(watched) }))
	group.Go(func() error { l.watchAppender(watched); return nil })
	group.Go(func() error { l.reportOlder(watched); return nil })
	group.Go(func() error {
		select {
		case <-l.held.Lost():
			return errNoTrust
		case <-drained:
			return nil
		case <-run.Done():
			return context.Cause(run)
		}
	})
	return group.Wait()
}

// commit owns the appender, which has one append in flight.
func (l *leader) commit(ctx context.Context) error {
	for {
		select {
		case l.appenderFree <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		s, ok := <-l.sealed
		if !ok {
			close(l.durable)
			return nil
		}
		d := durable{batch: s.batch}
		if len(s.body) > 0 {
			sent := time.Now()
			l.stall.begin(s.batch.Number)
			seq, err := l.append(ctx, s.body, s.checksum)
			l.stall.end()
			if err != nil {
				return err
			}
			l.held.Alive(sent)
			d.seq = seq
			l.appended(seq, len(s.body), sent)
			l.storage.Appended(s.batch.Number, seq, len(s.body))
		}
		select {
		case l.durable <- d:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// append writes body, and gives up on a store that cannot write, because the next leader sees
// whether the append lands after all. On a full store it gives up at once, and callers get the
// reason.
func (l *leader) append(ctx context.Context, body []byte, checksum string) (uint64, error) {
	if err := l.config.Store.Room(); err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	ctx, cancel := running.WithTimeoutWhile(ctx, stuckAfter, errStuck, func() bool { return l.held.Trusted(time.Now()) })
	defer cancel()
	l.appender.Checksum = checksum
	seq, err := l.appender.Append(ctx, body)
	if err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	return seq, nil
}

// perform owns the dispatch connection, and carries out decided effects in order.
func (l *leader) perform(ctx context.Context) error {
	for {
		select {
		case d, ok := <-l.durable:
			if !ok {
				l.storage.Ended()
				return nil
			}
			l.core.Appended(d.seq)
			for i, e := range d.batch.Effects {
				if i%effectsOnTrust == 0 {
					if err := l.regain(ctx); err != nil {
						return err
					}
				}
				l.begun = max(l.begun, d.seq)
				if err := l.doContained(e, d.seq); err != nil {
					return err
				}
			}
			l.listener.SendAcks()
			l.performedTo.Store(max(l.performedTo.Load(), d.seq))
			l.storage.Performed(d.seq)
			l.backpressure.coming.Add(-int64(d.batch.Results))
			l.relieve()
			l.listener.Performed(d.batch.Number)
			l.free <- d.batch
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// mayAppend waits until the lease is trusted, because no effect of an append that lands when
// another node may lead is to be performed. While NATS is away, no other node can lead either.
func (l *leader) mayAppend(ctx context.Context) error {
	if !l.held.AwaitTrust(ctx) {
		return errNoTrust
	}
	return nil
}
