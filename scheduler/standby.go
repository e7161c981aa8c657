package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// lookAtFence is how often a follower asks how far the bucket has the journal.
	lookAtFence = time.Second
	// followEvery is how often it looks for new appends, and rowsKept how many it
	// keeps before they are replayed.
	followEvery = 200 * time.Millisecond
	rowsKept    = 10_000
	// lagging is how long a take-over waits for what the follower is sent.
	lagging = 200 * time.Millisecond
	// warmWithin is how long a node that has only just begun to load leaves a vacant
	// lease to those who have: it could not lead sooner anyway.
	warmWithin = time.Second
)

// A follower keeps a current copy of what a partition's leader decides: the bucket,
// read once, and every append since. Who takes over goes on with it, so that a
// take-over loads nothing but what was appended at last.
//
// It begins at the checkpoint that it reads before the bucket: a row that the scan
// finds newer than that is in an append behind it, and the append is replayed over
// it, whole. A purge that passes the follower is a gap, after which it begins anew.
type follower struct {
	*partition
	holder string // whose own appends are no sign of another's life
	alive  func() // called when another's append was seen

	stop context.CancelFunc
	done chan struct{} // closed when run has returned
	err  error         // why; valid when done is closed

	hasten chan struct{} // of size one: look for new appends now

	// These are run's until done is closed.
	machine *machine.Machine
	pending []gathered              // rows that are not in the machine yet
	states  map[schema.PlanName]int // where in pending the newest state of a plan is
	seen    uint64                  // the last append whose rows were gathered
	items   uint64                  // the last of them that held an item
	count   int64                   // of the appends that came, and
	volume  int64                   // of their bytes
	lived   time.Time               // when the last one of another was stored, by the server's clock

	bad     int  // rows of the journal that made no sense
	tainted bool // the machine panicked at a row, and is read anew without it

	mu     sync.Mutex
	loaded bool   // the bucket was read
	at     uint64 // the last append that was followed; valid when loaded
	moved  signal // loaded or at has changed
	fence  uint64 // how far the bucket has the journal, as far as is known
}

// follow starts a follower, which runs until ctx ends, until it is taken, or until
// it cannot go on; then it calls failed.
func (p *partition) follow(ctx context.Context, holder string, alive func(), failed context.CancelCauseFunc) *follower {
	f := &follower{partition: p, holder: holder, alive: alive, done: make(chan struct{}), hasten: make(chan struct{}, 1)}
	ctx, f.stop = context.WithCancel(ctx)
	go func() {
		defer close(f.done)
		if f.err = f.run(ctx); f.err != nil && ctx.Err() == nil {
			failed(f.err)
		}
	}()
	return f
}

// close ends the follower and waits for it.
func (f *follower) close() {
	f.stop()
	<-f.done
}

// take returns the machine as it is after append seq, which nobody but the caller
// can follow with another. It is the caller's then.
func (f *follower) take(ctx context.Context, seq uint64) (*machine.Machine, error) {
	late := time.NewTimer(lagging)
	defer late.Stop()
	f.look()
	for {
		moved := f.moved.next()
		at, loaded := f.reached()
		if loaded && at >= seq {
			f.close()
			return f.machine, nil
		}
		select {
		case <-moved:
		case <-late.C:
			if loaded {
				return f.hurry(ctx, seq)
			}
			late.Reset(lagging)
		case <-f.done:
			return nil, f.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// hurry reads what is left of the journal by itself: the server from which it came
// may have died together with the leader.
func (f *follower) hurry(ctx context.Context, seq uint64) (*machine.Machine, error) {
	f.close()
	at, loaded := f.reached()
	if !loaded {
		return nil, f.err // a purge has passed it meanwhile
	}
	if at < seq {
		// What was gathered is read once more.
		f.pending, f.states, f.seen = nil, map[schema.PlanName]int{}, at
		if err := f.config.Store.Journal(f.index).Replay(ctx, at, seq, f.apply); err != nil {
			return nil, err
		}
	}
	return f.machine, f.replay()
}

// look has the follower look for new appends now.
func (f *follower) look() {
	select {
	case f.hasten <- struct{}{}:
	default: // it is about to
	}
}

// warm waits until the bucket is loaded, but no longer than patient.
func (f *follower) warm(ctx context.Context, patient time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patient)
	defer cancel()
	for {
		moved := f.moved.next()
		if _, loaded := f.reached(); loaded {
			return
		}
		select {
		case <-moved:
		case <-f.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// reached says how far the follower is in the journal, once it has loaded the bucket.
func (f *follower) reached() (at uint64, loaded bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at, f.loaded
}

// run follows, and begins anew when a purge has passed it.
func (f *follower) run(ctx context.Context) error {
	for rest := shortestRest; ; rest = min(2*rest, longestRest) {
		began := time.Now()
		err := f.incidents.Guard(metrics.AtReplay, func() error { return f.once(ctx) })()
		if time.Since(began) > longestRest {
			rest = shortestRest
		}
		var changed *broker.ChangedError
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, broker.ErrGap), errors.As(err, &changed):
			// A journal that ends below what was taken from it is raised by whoever
			// takes over. What this node itself has seen of it is to be there.
			if err := f.whole(ctx); err != nil {
				return err
			}
			f.log.Info("the journal was purged past this node, which loads it again", "error", err)
		case errors.Is(err, errContained):
		default:
			return err
		}
		if err := pause(ctx, rest); err != nil {
			return err
		}
	}
}

// once loads the bucket and follows the journal from there.
func (f *follower) once(ctx context.Context) error {
	store := f.config.Store
	fence, end, err := store.TableChain(f.index).Peek(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.loaded = false
	f.mu.Unlock()
	f.machine = machine.New(machine.Config{
		Partition:    f.index,
		Partitions:   f.config.Space.Partitions,
		Key:          store.Installation().Key,
		Defaults:     f.config.Defaults,
		MisfireGrace: f.config.MisfireGrace,
		Checkpoint:   f.config.Checkpoint,
		InboxBytes:   f.inboxBytes(ctx),
		TenantPlans:  f.config.TenantPlans,
		Probe:        f.config.Probe,
	})
	f.suspects.keepRowsFrom(f.machine)
	f.tainted = false
	if err := f.loadBucket(ctx, end); err != nil {
		return err
	}
	if err := f.loadItems(ctx); err != nil {
		return err
	}
	from := fence.UpTo.From()
	f.pending, f.states, f.seen = nil, map[schema.PlanName]int{}, from
	f.move(from, from)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return f.watchFence(ctx) })
	pace := broker.Pace{Every: followEvery, Wake: f.hasten, Caught: f.replay}
	group.Go(func() error { return store.Journal(f.index).Follow(ctx, from, pace, f.apply) })
	return group.Wait()
}

// complaints bounds the lines about rows that make no sense.
const complaints = 20

// loadBucket replays the bucket, the batch of the fence included, which ends at end. What
// is not ours or cannot be read is said, left alone and not run; the rest goes on.
func (f *follower) loadBucket(ctx context.Context, end uint64) error {
	bad := 0
	err := f.config.Store.Table(f.index).Scan(ctx, end, func(key string, value []byte, _ uint64) error {
		row, err := machine.RowOf(key, value)
		if err == nil && row.Kind != 0 {
			err = f.try(machine.InBucket, row)
		}
		if err != nil {
			if bad++; bad <= complaints {
				f.log.Error("a row of the bucket was left alone", "key", key, "error", err)
			}
		}
		return nil
	})
	if bad > complaints {
		f.log.Error("more rows of the bucket were left alone", "count", bad-complaints)
	}
	if err != nil {
		return fmt.Errorf("load the bucket: %w", err)
	}
	return f.untainted()
}

// try replays a row, of append seq or of the bucket. One that makes the machine
// panic is left out from now on.
func (f *follower) try(seq uint64, r machine.Row) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			number := f.incidents.Report(metrics.AtReplay, fault, "append", seq, "plan", r.Name.String(), "kind", string(r.Kind))
			f.suspects.leaveOut(r.ID())
			f.tainted = true
			err = fmt.Errorf("incident %s", number)
		}
	}()
	return f.machine.Replay(seq, r)
}

// untainted returns errContained if the machine is to be read anew: who panics half way
// through a row may have done anything.
func (f *follower) untainted() error {
	if f.tainted {
		return errContained
	}
	return nil
}

// apply takes in one append. Its rows are replayed together with those of the others
// that came with it, since most plans change twice in a moment, and only what came of
// them last matters.
func (f *follower) apply(a broker.Append) error {
	if a.Holder != f.holder {
		f.lived = a.Time
		f.alive()
	}
	err := machine.Rows(a.Body, func(r machine.Row) error {
		f.gather(a.Seq, r)
		return nil
	})
	if err != nil {
		return fmt.Errorf("append %d: %w", a.Seq, err)
	}
	f.seen = a.Seq
	f.count++
	f.volume += int64(len(a.Body))
	if len(f.pending) >= rowsKept {
		return f.replay()
	}
	return nil
}

// gathered is a row that was not replayed yet.
type gathered struct {
	machine.Row
	seq  uint64
	over bool // a later one of the same plan stands for it
}

// gather keeps a row. A state is whole, so that the next one of its plan stands for it
// too, unless a definition lies between.
func (f *follower) gather(seq uint64, r machine.Row) {
	switch r.Kind {
	case machine.RowResult:
		return
	case machine.RowItem:
		f.items = seq
	case machine.RowDefinition:
		delete(f.states, r.Name)
	case machine.RowState:
		if i, ok := f.states[r.Name]; ok {
			f.pending[i].over = true
		}
		f.states[r.Name] = len(f.pending)
	}
	f.pending = append(f.pending, gathered{Row: r, seq: seq})
}

// replay brings the machine up to what was seen.
func (f *follower) replay() error {
	for _, r := range f.pending {
		if r.over {
			continue
		}
		if err := f.try(r.seq, r.Row); err != nil {
			if f.bad++; f.bad <= complaints {
				f.log.Error("a row of the journal was left alone", "append", r.seq, "error", err)
			}
		}
	}
	clear(f.pending)
	f.pending = f.pending[:0]
	clear(f.states)
	if err := f.untainted(); err != nil {
		return err
	}
	f.mu.Lock()
	fence := f.fence
	f.mu.Unlock()
	f.machine.Stored(fence)
	f.move(f.seen, 0)
	return nil
}

// move notes how far the follower is, and the bucket (0: as before).
func (f *follower) move(at, fence uint64) {
	f.mu.Lock()
	f.loaded, f.at, f.fence = true, at, max(f.fence, fence)
	f.mu.Unlock()
	f.moved.send()
}

// watchFence asks now and then how far the bucket has the journal, so that the
// follower does not keep a list of all that ever changed.
func (f *follower) watchFence(ctx context.Context) error {
	ticker := time.NewTicker(lookAtFence)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		fence, _, err := f.config.Store.TableChain(f.index).Peek(ctx)
		if err != nil {
			continue // the stream has no leader now; it will have one again
		}
		f.mu.Lock()
		f.fence = max(f.fence, fence.UpTo.From())
		f.mu.Unlock()
	}
}
