package storing

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

const (
	// gatherLeast is how long a result waits for others, so that one batch, with its fixed price,
	// carries all results of some milliseconds.
	gatherLeast = 20 * time.Millisecond
	// batchBytes bounds the bytes of one batch.
	batchBytes = 8 << 20
)

// A streamWriter is the writer of a stream behind the journal: PLAN_RESULTS, or PLAN_QUEUES. perform adds,
// run writes.
type streamWriter struct {
	what string // name of its messages in errors
	most int    // messages a batch

	chain *broker.Chain
	// relieve is called when some are stored.
	relieve func()
	wake    chan struct{}
	over    chan struct{} // closed when no more are added
	// count is the number of messages behind; decide reads it at every turn.
	count atomic.Int64
	bytes atomic.Int64 // of their bodies
	// Only run uses these: the end of the rest after the last batch, and the batch being stored.
	rested time.Time
	batch  []queued

	mu       sync.Mutex
	queue    []queued
	readers  []reader
	progress protocol.Progress
}

// queued is a message to store, the journal position that it completes, and a callback with the
// sequence at which it was stored; nil: none.
type queued struct {
	msg    *nats.Msg
	mark   protocol.Mark
	stored func(seq uint64)
	sentIn generation // generation in which it was broadcast; 0: it was not
}

// reader is a callback for when all results up to a count are stored.
type reader struct {
	at   uint64
	done func()
}

func newStreamWriter(what string, most int, chain *broker.Chain, relieve func(), from protocol.Mark) *streamWriter {
	return &streamWriter{
		what: what, most: most, chain: chain, relieve: relieve, progress: protocol.NewProgress(from),
		wake: make(chan struct{}, 1), over: make(chan struct{}),
	}
}

// close ends the input; run ends when all results are stored.
func (r *streamWriter) close() { close(r.over) }

// add queues a message.
func (r *streamWriter) add(m queued) {
	r.mu.Lock()
	r.queue = append(r.queue, m)
	r.progress.Add()
	n := len(r.queue)
	// Counted under the lock, before run can take it away, because run could else find a count of
	// zero and sleep without a wake-up.
	r.count.Add(1)
	bytes := r.bytes.Add(int64(len(m.msg.Data)))
	r.mu.Unlock()
	if n == 1 || n == r.most || bytes >= batchBytes {
		r.nudge()
	}
}

// nudge has run check again whether to write.
func (r *streamWriter) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// performed records that all results of the appends up to seq have been added.
func (r *streamWriter) performed(seq uint64) {
	r.mu.Lock()
	r.progress.Performed(seq)
	r.mu.Unlock()
}

// stored returns how far this stream lets the journal be purged.
func (r *streamWriter) stored() protocol.Mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.progress.UpTo()
}

// whenStored calls done when all results added so far are stored, which happens as soon as
// possible, because a caller waits.
func (r *streamWriter) whenStored(done func()) {
	r.mu.Lock()
	now := r.progress.Stored() == r.progress.Added()
	if !now {
		r.readers = append(r.readers, reader{r.progress.Added(), done})
	}
	r.mu.Unlock()
	if now {
		done()
		return
	}
	r.nudge()
}

// behind measures the messages that the stream does not have yet.
func (r *streamWriter) behind() metrics.Behind {
	return metrics.Behind{Messages: r.count.Load(), Bytes: r.bytes.Load()}
}

func (r *streamWriter) run(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		some, err := r.wait(ctx, timer)
		if err != nil || !some {
			return err
		}
		if err := r.write(ctx); err != nil {
			return err
		}
	}
}

// wait returns true when messages are worth writing, and false when the input has ended.
func (r *streamWriter) wait(ctx context.Context, timer *time.Timer) (some bool, err error) {
	timer.Stop()
	for !r.ripe() {
		if r.count.Load() > 0 {
			timer.Reset(max(time.Until(r.rested), gatherLeast))
		}
		select {
		case <-r.wake:
		case <-timer.C:
			return true, nil
		case <-r.over:
			return r.count.Load() > 0, nil // a draining writer waits for no others
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	return true, nil
}

// ripe reports that messages are to be written now, because they fill a batch or a caller waits for
// them.
func (r *streamWriter) ripe() bool {
	n := r.count.Load()
	return n >= int64(r.most) || r.bytes.Load() >= batchBytes || n > 0 && r.awaited()
}

// awaited reports that a caller waits until all are stored.
func (r *streamWriter) awaited() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.readers) > 0
}

// write stores the next messages. After a batch it sets the time of a rest.
func (r *streamWriter) write(ctx context.Context) error {
	began := time.Now()
	batch, mark := r.next()
	msgs := make([]*nats.Msg, len(batch))
	for i, m := range batch {
		msgs[i] = m.msg
	}
	if err := r.chain.Write(ctx, msgs, mark); err != nil {
		return fmt.Errorf("store %s: %w", r.what, err)
	}
	r.rested = time.Now().Add(writerPause.after(time.Since(began)))
	n, first := len(batch), r.chain.Revision()+1
	r.mu.Lock()
	for i, s := range batch {
		r.bytes.Add(-int64(len(s.msg.Data)))
		if s.stored != nil {
			s.stored(first + uint64(i))
		}
	}
	clear(batch)
	clear(r.queue[:n])
	r.queue = r.queue[n:]
	r.progress.Store(n, mark)
	served := 0
	for served < len(r.readers) && r.readers[served].at <= r.progress.Stored() {
		served++
	}
	readers := r.readers[:served:served]
	r.readers = r.readers[served:]
	r.count.Add(-int64(n))
	r.mu.Unlock()

	r.relieve()
	for _, reader := range readers {
		reader.done()
	}
	return nil
}

// next returns the next messages, at most a batch and some megabytes, and the journal position that
// they complete; they stay in the queue until they are stored.
func (r *streamWriter) next() ([]queued, protocol.Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, size := 0, 0
	for n < min(len(r.queue), r.most) {
		size += len(r.queue[n].msg.Data)
		if size > batchBytes && n > 0 {
			break
		}
		n++
	}
	r.batch = append(r.batch[:0], r.queue[:n]...)
	return r.batch, r.batch[n-1].mark
}
