package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// stuckAfter is how long an append may stay unanswered.
	stuckAfter = 10 * time.Second
	// eventsAhead bounds the events that wait for the machine.
	eventsAhead = 4096
	// eventsAtOnce bounds those that it takes before it looks at the clock again.
	eventsAtOnce = 64
	// ticksAtOnce bounds the looks at what is due, some hundred plans each, before
	// events have their turn: what is due goes first, since a late execution is
	// seen, and a reply that waits some milliseconds is not.
	ticksAtOnce = 16
	// effectsOnTrust is how many effects follow a look at the lease.
	effectsOnTrust = 256
	// readClock is how long a wait may last without a look at the clock.
	readClock = time.Second
	// batchesAhead are the batches under way: one gathers, one is written, one is
	// performed, and one is free so that none waits for another.
	batchesAhead = 4
)

var (
	// errNoTrust ends a leadership whose lease another may hold by now.
	errNoTrust   = errors.New("the lease could not be renewed in time")
	errStuck     = errors.New("the journal took no append for 10 seconds; look at the server's disk and health")
	errSlowDrain = errors.New("what was decided could not be finished in time")
)

// A leader acts for a partition: decide → commit → perform.
type leader struct {
	*partition
	began   time.Time
	plans   int // how many were loaded
	machine *machine.Machine
	pen     *broker.Pen
	held    *broker.Held
	subs    []*nats.Subscription
	door    *door
	calls   *calls
	errands sync.WaitGroup // answers on their way to other nodes
	gone    chan struct{}  // closed when it no longer takes events
	// finished says that all it decided is done and said: what is open was not begun.
	finished bool

	events chan machine.Event
	after  *afterthoughts

	free    chan *machine.Batch
	penFree chan struct{}
	sealed  chan sealed
	durable chan durable

	results *lane
	items   *lane
	shelf   *shelf
	reading context.Context // ends with the leader: items are no longer read back
	unread  context.CancelFunc
	table   *table

	// What perform writes messages with, one after the other.
	pencil
}

// A pencil is what executions are written with: its room is used again for each.
type pencil struct {
	w      wire.Writer
	buf    []byte
	header header
}

// sealed is a batch whose rows are written; body is empty if it has none.
type sealed struct {
	batch *machine.Batch
	body  []byte
}

// durable is a batch whose rows are on disk, as append seq of the journal (0: it
// had none).
type durable struct {
	batch *machine.Batch
	seq   uint64
}

// drainWithin bounds how long a leader that is told to stop may take to finish
// what it has decided.
const drainWithin = 5 * time.Second

// lead runs until the lease is lost or the journal is another's. When ctx ends it
// decides nothing more, but what was decided is committed, performed and stored;
// then it returns nil.
func (l *leader) lead(ctx context.Context) error {
	hard, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	late := time.AfterFunc(time.Hour, func() { cancel(errSlowDrain) })
	late.Stop()
	defer late.Stop()
	stopWatch := context.AfterFunc(ctx, func() { late.Reset(drainWithin) })
	defer stopWatch()

	group, run := errgroup.WithContext(hard)
	drained := make(chan struct{}) // closed when all that was decided is stored
	watched, unwatch := context.WithCancel(run)
	defer unwatch()
	group.Go(func() error { return l.decide(run, ctx.Done()) })
	group.Go(func() error { return l.commit(run) })
	group.Go(func() error { return l.perform(run) })
	group.Go(func() error {
		defer close(drained)
		defer unwatch()
		return l.writeLanes(run)
	})
	group.Go(func() error { return l.shelf.sweep(run, drained) })
	group.Go(func() error {
		err := l.config.Store.Watch(watched)
		if watched.Err() != nil {
			return nil // whoever ended it has said why
		}
		return fmt.Errorf("watch the stores: %w", err)
	})
	group.Go(func() error { return l.rejoin(watched) })
	group.Go(func() error { return l.table.run(run, drained) })
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

// decide owns the machine. While the pen writes, the next batch gathers: handing
// it over when the pen is free is the group commit, all of it.
func (l *leader) decide(ctx context.Context, stop <-chan struct{}) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	d := &desk{leader: l, timer: timer}
	if err := d.fresh(ctx); err != nil {
		return err
	}
	// Replies that were captured while nobody led come before the first look at
	// any deadline (DESIGN section 6, rule 4).
	d.held = l.after.take(d.held)
	for {
		var more <-chan struct{}
		progress := d.work()
		if progress == canGoOn {
			more = always
		}
		events, pen := l.events, l.penFree
		if len(d.held) > 0 {
			events = nil // the batch is full: take no more
		}
		if d.batch.Empty() {
			pen = nil
		}
		d.arm(progress)
		select {
		case ev := <-events:
			d.take(ev)
		case <-l.after.wake:
			d.held = l.after.take(d.held)
		case <-timer.C:
			d.armed = time.Time{}
		case <-more:
		case <-pen:
			l.sealed <- sealed{d.batch, d.batch.Seal()} // commit waits for it
			if err := d.fresh(ctx); err != nil {
				return err
			}
		case <-stop:
			return d.finish(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// A desk is what decide has before it.
type desk struct {
	*leader
	batch  *machine.Batch
	number uint64
	held   []machine.Event // taken, but not stepped: afterthoughts, and what did not fit
	timer  *time.Timer
	armed  time.Time // when the timer fires; zero: not at all
}

// fresh takes the next batch to fill.
func (d *desk) fresh(ctx context.Context) error {
	select {
	case d.batch = <-d.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	d.number++
	d.batch.Reset(d.number)
	return nil
}

// finish hands the last batch over and tells commit that no other will come.
func (d *desk) finish(ctx context.Context) error {
	for last := d.batch.Empty(); ; last = true {
		select {
		case <-d.penFree:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if last {
			close(d.leader.sealed)
			return nil
		}
		d.leader.sealed <- sealed{d.batch, d.batch.Seal()}
	}
}

// always is ready: decide has more to do and only looks whether something is more
// urgent.
var always = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// progress says why work has ended.
type progress uint8

const (
	caughtUp progress = iota // nothing is due; time will tell
	canGoOn                  // there is more, and only others had to have their turn
	blocked                  // there is more, but no room for it, or results are behind
)

// work steps what is held and what is due, as far as the batch has room.
func (d *desk) work() progress {
	done := 0
	for _, ev := range d.held {
		if !d.step(ev) {
			break
		}
		done++
	}
	d.held = append(d.held[:0], d.held[done:]...)
	if len(d.held) > 0 || d.results.congested() {
		return blocked
	}
	for range ticksAtOnce {
		now := time.Now()
		wake := d.machine.Wake()
		if wake.IsZero() || wake.After(now) {
			return caughtUp
		}
		looks := d.machine.Looks()
		d.machine.Step(now, machine.Tick{}, d.batch)
		if d.machine.Looks() == looks {
			return blocked
		}
	}
	return canGoOn
}

// step steps one event; false if the batch has no room for it. One that would not
// fit into any batch is refused: held, it would hold up everything.
func (d *desk) step(ev machine.Event) bool {
	if d.itemsBehind(ev) {
		ev.(machine.Ask).From.(*call).finish(nil, errItemsBehind)
		return true
	}
	if !d.batch.Room(d.machine.Cost(ev)) {
		if !d.batch.Empty() {
			return false
		}
		d.refuse(ev)
		return true
	}
	d.machine.Step(time.Now(), ev, d.batch)
	return true
}

func (d *desk) refuse(ev machine.Event) {
	d.log.Error("an event is larger than the server's max_payload allows", "event", fmt.Sprintf("%T", ev))
	if ask, ok := ev.(machine.Ask); ok {
		ask.From.(*call).finish(nil, errTooLarge)
	}
}

// take steps ev and whatever else has arrived.
func (d *desk) take(ev machine.Event) {
	for range eventsAtOnce {
		if !d.step(ev) {
			d.held = append(d.held, ev)
			return
		}
		select {
		case ev = <-d.events:
		default:
			return
		}
	}
	d.held = append(d.held, ev)
}

// arm sets the timer to the machine's next moment, which may have come since work
// looked. What is blocked does not wait for time: the pen comes for a full batch, and
// results that are stored say so.
func (d *desk) arm(p progress) {
	wake := d.machine.Wake()
	if p != caughtUp || wake.IsZero() {
		d.armed = time.Time{}
		d.timer.Stop()
		return
	}
	if !wake.Equal(d.armed) {
		d.armed = wake
		// A timer does not follow the wall clock when that is set, so it is read
		// again now and then.
		d.timer.Reset(min(time.Until(wake), readClock))
	}
}

// commit owns the pen: one append in flight.
func (l *leader) commit(ctx context.Context) error {
	for {
		select {
		case l.penFree <- struct{}{}:
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
			seq, err := l.append(ctx, s.body)
			if err != nil {
				return err
			}
			l.held.Alive(sent)
			d.seq = seq
			l.table.wrote(s.batch.Number, seq, len(s.body))
		}
		select {
		case l.durable <- d:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// append writes body, and gives up on a store that cannot write (DESIGN section 6,
// rule 6): whether it lands after all is for the next leader to see.
func (l *leader) append(ctx context.Context, body []byte) (uint64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, stuckAfter, errStuck)
	defer cancel()
	seq, err := l.pen.Append(ctx, body)
	if err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	return seq, nil
}

// perform owns the dispatch connection: what was decided is done, in order.
func (l *leader) perform(ctx context.Context) error {
	for {
		select {
		case d, ok := <-l.durable:
			if !ok {
				l.results.close()
				l.items.close()
				return nil
			}
			for i, e := range d.batch.Effects {
				if i%effectsOnTrust == 0 && !l.held.Trusted(time.Now()) {
					return errNoTrust
				}
				if err := l.do(e, d.seq); err != nil {
					return err
				}
			}
			l.results.performed(d.seq)
			l.items.performed(d.seq)
			l.free <- d.batch
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
