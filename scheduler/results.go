package scheduler

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/broker"
)

const (
	// gatherLeast is how long a result waits for others, so that one batch, with its fixed
	// price, carries all results of some milliseconds.
	gatherLeast = 20 * time.Millisecond
	// batchBytes bounds what one batch carries.
	batchBytes = 8 << 20
	// A few results are stored one by one, as soon as they are there, unless some were within
	// eachEvery: then they share what it takes to wake all who have a part in it. But no more
	// are than so many a second, nor at a moment: by itself each is ten times the work of one
	// in a batch.
	eachEvery = 4 * time.Millisecond
	eachRate  = 4000
	eachBurst = 128
	// settleAfter is how long none came when the fence is moved behind those that were
	// stored one by one; settleMost is how long a leader that stops waits for that.
	settleAfter = time.Second
	settleMost  = time.Second
	// congestion is how many results may be behind before no more occurrences are
	// opened: without it they grow for as long as there is memory.
	congestion = 8000
)

// A lane writes a stream behind the journal: PLAN_RESULTS, or PLAN_QUEUES. perform adds,
// run writes.
type lane struct {
	what string // is written, for people
	most int    // messages a batch
	few  int    // messages that are stored one by one

	chain *broker.Chain
	after *afterthoughts
	wake  chan struct{}
	over  chan struct{} // closed when no more are added
	// count is how many are behind; decide asks for it at every turn.
	count atomic.Int64
	bytes atomic.Int64 // of their bodies
	// Only run uses these: when the rest after the last batch is over, when some may be
	// stored one by one again, and how many.
	rested time.Time
	spaced time.Time
	pace   *rate.Limiter
	loose  bool // some were, behind the fence

	mu      sync.Mutex
	queue   []laned
	readers []reader
	added   uint64      // messages ever added
	taken   uint64      // of them, those that are stored
	mark    broker.Mark // how far the journal's messages are stored
	through uint64      // the newest append all of whose messages were added
}

// laned is one message on its way, how far the journal is taken with it, and who is to
// hear as what sequence it was stored in its batch; nil where messages are stored one by one.
type laned struct {
	msg    *nats.Msg
	mark   broker.Mark
	stored func(seq uint64)
}

// reader is told when all results up to a count are stored.
type reader struct {
	at   uint64
	tell func()
}

func newLane(what string, most, few int, chain *broker.Chain, after *afterthoughts, from broker.Mark) *lane {
	return &lane{
		what: what, most: most, few: few, chain: chain, after: after, mark: from,
		pace: rate.NewLimiter(eachRate, eachBurst), wake: make(chan struct{}, 1), over: make(chan struct{}),
	}
}

// close says that no more results are added; run ends when all are stored.
func (r *lane) close() { close(r.over) }

// add queues a message; stored may be nil.
func (r *lane) add(msg *nats.Msg, mark broker.Mark, stored func(seq uint64)) {
	r.mu.Lock()
	r.queue = append(r.queue, laned{msg, mark, stored})
	r.added++
	n := len(r.queue)
	// As long as run cannot take it away, or it could find nothing and be told of nothing.
	r.count.Add(1)
	bytes := r.bytes.Add(int64(len(msg.Data)))
	r.mu.Unlock()
	if n == 1 || n == r.most || bytes >= batchBytes {
		r.nudge()
	}
}

// nudge has run look again whether to write.
func (r *lane) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// performed says that all results of the appends up to seq have been added.
func (r *lane) performed(seq uint64) {
	if seq == 0 {
		return
	}
	r.mu.Lock()
	r.through = seq
	r.mu.Unlock()
}

// stored returns how far the journal may be forgotten as far as results go.
func (r *lane) stored() broker.Mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken == r.added && r.through >= r.mark.Seq {
		return broker.Mark{Seq: r.through + 1}
	}
	return r.mark
}

// congested reports that too many results wait for their stream.
func (r *lane) congested() bool { return r.count.Load() > congestion }

// whenStored calls tell when all results that were added so far are stored, which they
// are as soon as can be: somebody waits.
func (r *lane) whenStored(tell func()) {
	r.mu.Lock()
	now := r.taken == r.added
	if !now {
		r.readers = append(r.readers, reader{r.added, tell})
	}
	r.mu.Unlock()
	if now {
		tell()
		return
	}
	r.nudge()
}

func (r *lane) run(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		n, over, err := r.wait(ctx, timer)
		switch {
		case err != nil:
			return err
		case n > 0:
			err = r.write(ctx, n)
		case over:
			r.settleLast(ctx)
			return nil
		default:
			err = r.chain.Settle(ctx)
			r.loose = false
		}
		if err != nil {
			return err
		}
	}
}

// settleLast spares the next leader to look for what was stored one by one. It can, if this
// one does not get through.
func (r *lane) settleLast(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleMost)
	defer cancel()
	_ = r.chain.Settle(ctx)
}

// wait returns how many messages are worth writing, at most. 0: nothing is to come any more,
// or nothing came for so long that the chain is to be settled.
func (r *lane) wait(ctx context.Context, timer *time.Timer) (n int, over bool, err error) {
	timer.Stop()
	for {
		if n := r.ripe(); n > 0 {
			return n, false, nil
		}
		waiting, then := r.count.Load(), 0
		few := r.isFew(waiting)
		switch {
		case few:
			timer.Reset(time.Until(r.spaced))
		case waiting > 0:
			timer.Reset(max(time.Until(r.rested), gatherLeast))
			then = r.most
		case r.loose:
			timer.Reset(settleAfter)
		}
		select {
		case <-r.wake:
		case <-timer.C:
			if !few { // a few are ripe now, unless others have come
				return then, false, nil
			}
		case <-r.over:
			return min(r.most, int(r.count.Load())), true, nil // who drains waits for no others
		case <-ctx.Done():
			return 0, false, context.Cause(ctx)
		}
	}
}

// ripe returns how many messages are to be written now: as many as fill a batch, or all that
// somebody waits for, or a few. 0: they wait for others.
func (r *lane) ripe() int {
	n := r.count.Load()
	few, awaited := r.isFew(n), r.awaited()
	switch {
	case few && (awaited || !time.Now().Before(r.spaced)):
		return int(n)
	case awaited, n >= int64(r.most), r.bytes.Load() >= batchBytes:
		return r.most
	}
	return 0
}

// awaited reports that somebody waits until all are stored.
func (r *lane) awaited() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.readers) > 0
}

// isFew reports that n messages are to be written one by one.
func (r *lane) isFew(n int64) bool {
	return n > 0 && n <= int64(r.few) && r.pace.Tokens() >= float64(n)
}

// write stores the next messages, at most so many.
func (r *lane) write(ctx context.Context, most int) error {
	msgs, mark := r.next(most)
	if err := r.store(ctx, msgs, mark); err != nil {
		return fmt.Errorf("store %s: %w", r.what, err)
	}
	n, first := len(msgs), r.chain.Revision()+1
	r.mu.Lock()
	for i, s := range r.queue[:n] {
		r.bytes.Add(-int64(len(s.msg.Data)))
		if s.stored != nil {
			s.stored(first + uint64(i))
		}
	}
	clear(r.queue[:n])
	r.queue = r.queue[n:]
	r.taken += uint64(n)
	r.mark = mark
	served := 0
	for served < len(r.readers) && r.readers[served].at <= r.taken {
		served++
	}
	readers := r.readers[:served:served]
	r.readers = r.readers[served:]
	left := r.count.Add(-int64(n))
	r.mu.Unlock()

	if left <= congestion && left+int64(n) > congestion {
		r.after.nudge() // decide has stopped opening occurrences
	}
	for _, reader := range readers {
		reader.tell()
	}
	return nil
}

// store stores msgs, a few of them one by one. After a batch it is time for a rest.
func (r *lane) store(ctx context.Context, msgs []*nats.Msg, mark broker.Mark) error {
	began := time.Now()
	if len(msgs) <= r.few && r.pace.AllowN(began, len(msgs)) {
		r.spaced, r.loose = began.Add(eachEvery), true
		return r.chain.WriteEach(ctx, msgs, mark)
	}
	err := r.chain.Write(ctx, msgs, mark)
	r.rested, r.loose = time.Now().Add(laneRest.after(time.Since(began))), false
	return err
}

// next returns the next messages, at most so many and some megabytes; they stay in the
// queue until they are stored.
func (r *lane) next(most int) ([]*nats.Msg, broker.Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	msgs := make([]*nats.Msg, 0, min(len(r.queue), most))
	var mark broker.Mark
	size := 0
	for _, s := range r.queue[:cap(msgs)] {
		if size += len(s.msg.Data); size > batchBytes && len(msgs) > 0 {
			break
		}
		msgs = append(msgs, s.msg)
		mark = s.mark
	}
	return msgs, mark
}
