package follow

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// lookAtFence is how often a follower reads how far the bucket has the journal.
	lookAtFence = time.Second
	// followEvery is how often it looks for new appends, and rowsKept how many it
	// keeps before they are replayed.
	followEvery = 200 * time.Millisecond
	rowsKept    = 10_000
)

// once loads the bucket and follows the journal from there.
func (f *Follower) once(ctx context.Context) error {
	store := f.config.Store
	fence, end, err := store.TableChain(f.index).Peek(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.loaded = false
	f.mu.Unlock()
	of := f.config.Machine
	of.Key, of.InboxBytes = store.Installation().Key, f.inboxBytes(ctx)
	f.machine = machine.New(of)
	f.config.LeftOut.keepFrom(f.machine)
	f.tainted = false
	if err := f.loadBucket(ctx, end); err != nil {
		return err
	}
	if err := f.loadItems(ctx); err != nil {
		return err
	}
	from := fence.UpTo.From()
	f.pending, f.states, f.seen, f.tail = nil, map[schema.PlanName]int{}, from, protocol.Tail[event.Unsent]{}
	f.plans = ""
	f.move(from, from)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return f.watchFence(ctx) })
	pace := broker.Pace{Every: followEvery, Wake: f.hasten, Caught: f.replay}
	group.Go(func() error { return store.Journal(f.index).Follow(ctx, from, pace, f.apply) })
	return group.Wait()
}

// complaints bounds the log lines about invalid rows.
const complaints = 20

// loadBucket replays the bucket, the batch of the fence included, which ends at end. Rows that are
// not ours or cannot be read are logged, left alone and not run; the rest goes on.
func (f *Follower) loadBucket(ctx context.Context, end uint64) error {
	bad := 0
	err := f.config.Store.Table(f.index).Scan(ctx, end, func(key string, value []byte, _ uint64) error {
		row, err := event.RowOf(key, value)
		if err == nil && row.Kind != 0 {
			err = f.try(event.InBucket, row)
		}
		if err != nil {
			if bad++; bad <= complaints {
				f.config.Log.Error("a row of the bucket was left alone", "key", key, "error", err)
			}
		}
		return nil
	})
	if bad > complaints {
		f.config.Log.Error("more rows of the bucket were left alone", "count", bad-complaints)
	}
	if err != nil {
		return fmt.Errorf("load the bucket: %w", err)
	}
	return f.untainted()
}

// try replays a row, of append seq or of the bucket. A row that makes the machine panic is left out
// from now on.
func (f *Follower) try(seq uint64, r event.Row) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			number := f.config.Incidents.Report(metrics.AtReplay, fault, "append", seq, "plan", r.Name.String(), "kind", string(r.Kind))
			f.config.LeftOut.add(r.ID())
			f.tainted = true
			err = fmt.Errorf("incident %s", number)
		}
	}()
	return f.machine.Replay(seq, r)
}

// untainted returns ErrPanicked if the machine is to be read anew, because a panic half way through
// a row leaves it in an unknown state.
func (f *Follower) untainted() error {
	if f.tainted {
		return ErrPanicked
	}
	return nil
}

// apply takes in one append. Its rows are replayed together with those of the others that came with
// it, because most plans change twice in a moment, and only their last state matters.
func (f *Follower) apply(a broker.Append) error {
	if a.Holder != f.config.Holder {
		f.lived = a.Time
		f.config.Alive()
	}
	err := event.Rows(a.Body, func(r event.Row) error {
		f.gather(a.Seq, r)
		return nil
	})
	if err != nil {
		return fmt.Errorf("append %d: %w", a.Seq, err)
	}
	if !a.Takeover { // which changes no plans
		f.plans = a.Checksum
	}
	f.seen = a.Seq
	f.noteTail(a)
	f.count++
	f.volume += int64(len(a.Body))
	if len(f.pending) >= rowsKept {
		return f.replay()
	}
	return nil
}

// gathered is a row that was not replayed yet.
type gathered struct {
	event.Row
	seq  uint64
	over uint64 // the append from which on a later state of the same plan replaces it; 0: none does
}

// gather keeps a row. The next state of its plan replaces a state, because states are whole, unless
// a definition lies between.
func (f *Follower) gather(seq uint64, r event.Row) {
	switch r.Kind {
	case event.RowItem:
		f.items = seq
	case event.RowDefinition:
		delete(f.states, r.Name)
	case event.RowState:
		if i, ok := f.states[r.Name]; ok {
			f.pending[i].over = seq
		}
		f.states[r.Name] = len(f.pending)
	}
	f.pending = append(f.pending, gathered{Row: r, seq: seq})
}

// replay brings the machine up to the last append seen.
func (f *Follower) replay() error {
	if err := f.replayTo(f.beforeTail()); err != nil {
		return err
	}
	f.noteBegun()
	if err := f.replayTo(f.seen); err != nil {
		return err
	}
	f.mu.Lock()
	fence := f.fence
	f.mu.Unlock()
	f.machine.Stored(fence)
	f.move(f.seen, 0)
	return nil
}

// replayTo brings the machine up to an append.
func (f *Follower) replayTo(seq uint64) error {
	n := 0
	for ; n < len(f.pending) && f.pending[n].seq <= seq; n++ {
		r := f.pending[n]
		if r.over != 0 && r.over <= seq {
			continue
		}
		if err := f.try(r.seq, r.Row); err != nil {
			if f.bad++; f.bad <= complaints {
				f.config.Log.Error("a row of the journal was left alone", "append", r.seq, "error", err)
			}
		}
	}
	left := copy(f.pending, f.pending[n:])
	clear(f.pending[left:])
	f.pending = f.pending[:left]
	clear(f.states) // the rest is replayed before other rows are gathered
	return f.untainted()
}

// move records how far the follower is, and the bucket (0: as before).
func (f *Follower) move(at, fence uint64) {
	f.mu.Lock()
	f.loaded, f.at, f.fence = true, at, max(f.fence, fence)
	f.mu.Unlock()
	select {
	case f.moved <- struct{}{}:
	default: // the waiting goroutine is about to look
	}
}

// watchFence reads now and then how far the bucket has the journal, so that the follower does not
// keep a list of all changes.
func (f *Follower) watchFence(ctx context.Context) error {
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

// loadItems passes the sizes of the stored items to the machine. Items pushed since the checkpoint
// come with the journal.
func (f *Follower) loadItems(ctx context.Context) error {
	store := f.config.Store
	_, end, err := store.ItemsChain(f.index).Peek(ctx)
	if err != nil {
		return err
	}
	err = store.Items(f.index).Scan(ctx, end, func(i broker.StoredItem) error {
		f.machine.ReplayItem(i.Name, i.Incarnation, i.N, i.Size)
		return nil
	})
	if err != nil {
		return fmt.Errorf("load the items of queues: %w", err)
	}
	return nil
}

// inboxBytes is the part of the stream of items that this partition may fill, because completed
// items lie there until they are swept.
func (f *Follower) inboxBytes(ctx context.Context) int64 {
	most, err := f.config.Store.Items(f.index).Bytes(ctx)
	if err != nil {
		return 0 // unknown; the stream itself refuses items beyond its room
	}
	return most / 4 * 3 / int64(max(f.config.Machine.Partitions, 1))
}
