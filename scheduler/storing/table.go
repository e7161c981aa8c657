package storing

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

const (
	// rowsAtOnce is the number of rows of the bucket in one batch. The begin and the end of a batch
	// cost nats-server some folders and files, and in a stream that discards new messages its work
	// for the rows grows with their square: between 256 and 512 both together cost the least.
	rowsAtOnce = 320
	// purgeDelay is how long the journal keeps appends that the bucket has, and keepBounds how many
	// times its bound it keeps for that, because a follower that is slower loses its place.
	purgeDelay = 10 * time.Second
	keepBounds = 4
	// fenceRest is how often the checkpoint is moved when there are no rows to write, because
	// short-lived plans leave none.
	fenceRest = time.Second
)

// table writes the bucket behind the journal, moves the checkpoint, and purges the appends behind
// it.
type table struct {
	chain    *broker.Chain
	bucket   *broker.Table
	stations *broker.Bucket
	journal  *broker.Journal
	results  *streamWriter
	items    *streamWriter
	report   func(...event.Event)
	log      *slog.Logger
	every    time.Duration
	bound    int64
	writes   chan event.Write

	plans     func() int64
	trimAbove uint64

	strangers atomic.Int64 // rows that other clients have written

	mu         sync.Mutex
	checkpoint protocol.Checkpoint
	fresh      bool // an append since the last flush
	left       bool // older rows are left to look at

	// Only run uses these.
	moved  time.Time
	healed time.Time
	purges []purge
	kept   int64 // bytes of the appends behind purges
	trim   trim
}

// purge is a position up to which the journal may be purged since a moment, for later.
type purge struct {
	protocol.Purge
	at time.Time
}

// newTable returns a table whose checkpoint was found; bound bytes of its journal may be behind the
// bucket.
func newTable(c Config, chain *broker.Chain, found protocol.Mark, bound int64, results, items *streamWriter) *table {
	return &table{
		chain: chain, bucket: c.Store.Table(c.Partition), stations: c.Store.Stations(),
		journal: c.Store.Journal(c.Partition), results: results, items: items,
		report: c.Report, log: c.Log, every: c.Every, bound: bound,
		writes: make(chan event.Write, 1), checkpoint: protocol.NewCheckpoint(found), left: true,
		plans: c.Plans, trimAbove: trimAbove, trim: trim{removed: true},
	}
}

// boundOf is how far the journal may grow before busy rows are written, too. A small journal needs
// room for the appends until they are, and for those that are kept for slow followers.
func boundOf(bound int64, state broker.JournalState) int64 {
	if state.Most <= 0 {
		return bound
	}
	return min(bound, state.Most/(2*keepBounds))
}

// wrote records that a batch is durable.
func (t *table) wrote(number, seq uint64, bytes int) {
	t.mu.Lock()
	t.checkpoint.Appended(number, seq, bytes)
	t.fresh = true
	t.mu.Unlock()
}

// inheritedShare is the part of the bound that may be left from earlier leaders.
const inheritedShare = 8

// begin takes the next task: none, or a flush, also of rows that are not quiet when the journal has
// grown too far.
func (t *table) begin() (flush event.Flush, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ok = t.fresh || t.left
	t.fresh, t.left = false, false
	return event.Flush{Max: rowsAtOnce, Force: t.checkpoint.Overdue(t.bound, t.bound/inheritedShare)}, ok
}

// inUse reports an append since the last flush began.
func (t *table) inUse() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fresh
}

// run writes until ctx ends or the input has ended.
func (t *table) run(ctx context.Context, drained <-chan struct{}) error {
	timer := time.NewTimer(t.every)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-drained:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		rest, err := t.flush(ctx, drained)
		if err != nil {
			return err
		}
		if err := t.purge(ctx); err != nil {
			return err
		}
		if err := t.tidy(ctx); err != nil {
			return err
		}
		t.heal(ctx)
		timer.Reset(rest)
	}
}

// flush writes one batch of rows, and returns how long to leave the disk and the
// processors to others.
func (t *table) flush(ctx context.Context, drained <-chan struct{}) (rest time.Duration, err error) {
	flush, ok := t.begin()
	if !ok {
		return t.every, nil
	}
	t.report(flush)
	select {
	case w := <-t.writes:
		began := time.Now()
		if err := t.write(ctx, w); err != nil {
			return 0, err
		}
		return t.rest(time.Since(began), w.More, flush.Force), nil
	case <-drained:
		return t.every, nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// rest is the pause before the next batch after one that took so long, when there are more rows or
// not. Forced: the journal has grown too far.
func (t *table) rest(took time.Duration, more, forced bool) time.Duration {
	rest := t.every
	if more {
		rest = time.Millisecond
	}
	if t.inUse() && !forced {
		rest = max(rest, tableRest.after(took))
	}
	return rest
}

// write stores rows with the checkpoint that they lead to, which does not pass a result or an item
// that is not stored.
func (t *table) write(ctx context.Context, w event.Write) error {
	move := t.move(w)
	if !move.Write {
		return nil
	}
	msgs := make([]*nats.Msg, len(w.Rows))
	for i, row := range w.Rows {
		if len(row.Value) == 0 {
			msgs[i] = t.bucket.Unset(row.Key)
			t.trim.removed = true
		} else {
			msgs[i] = t.bucket.Set(row.Key, row.Value)
		}
	}
	if err := t.chain.Write(ctx, msgs, move.UpTo); err != nil {
		return fmt.Errorf("write rows to the bucket: %w", err)
	}
	t.showStations(ctx, w.Rows)
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.checkpoint.Written(move); ok {
		t.moved = time.Now()
		t.purges = append(t.purges, purge{p, t.moved})
		t.kept += p.Bytes
	}
	return nil
}

// move returns the checkpoint's move once the rows are written.
func (t *table) move(w event.Write) protocol.Move {
	rows := protocol.Rows{Before: w.Before, N: len(w.Rows), Left: w.Left > 0, Soon: time.Since(t.moved) < fenceRest}
	results, items := t.results.stored(), t.items.stored()
	t.mu.Lock()
	defer t.mu.Unlock()
	move := t.checkpoint.Move(rows, results, items)
	t.left = t.left || move.Again
	return move
}

// showStations keeps bucket stations, which is for people to read. A failure is only logged,
// because the rows that count are the partition's.
func (t *table) showStations(ctx context.Context, rows []event.BucketRow) {
	for _, row := range rows {
		kind, station, _, ok := storage.ParseKey(row.Key)
		if !ok || kind != storage.KeyStation {
			continue
		}
		var err error
		if len(row.Value) == 0 {
			err = t.stations.Delete(ctx, station)
		} else {
			_, err = t.stations.Put(ctx, station, row.Value)
		}
		if err != nil && ctx.Err() == nil {
			t.log.Warn("bucket stations is behind", "station", station, "error", err)
		}
	}
}

const (
	// healEvery is how often rows are checked for overwriting by other clients, healMost how many
	// of them are checked at a time.
	healEvery = 3 * time.Second
	healMost  = 500
)

// heal has rows written again that another client has overwritten, because the next leader reads
// them.
func (t *table) heal(ctx context.Context) {
	if time.Since(t.healed) < healEvery {
		return
	}
	t.healed = time.Now()
	subjects, err := t.chain.Strangers(ctx, healMost)
	if err != nil {
		t.log.Debug("rows of other clients could not be looked for", "error", err)
	}
	if len(subjects) == 0 {
		return
	}
	keys := make([]string, len(subjects))
	for i, subject := range subjects {
		keys[i] = t.bucket.KeyOf(subject)
	}
	t.strangers.Add(int64(len(keys)))
	t.log.Error("another client has written rows of the bucket, which are written again: find out who may write there, "+
		"and give users of NATS roles (--nats-users-file, or deploy/nats-server.conf)", "rows", len(keys), "one", keys[0])
	t.report(event.Overwritten{Keys: keys})
	t.mu.Lock()
	t.left = true
	t.mu.Unlock()
}

// purge removes from the journal the appends that the bucket has had for a while.
func (t *table) purge(ctx context.Context) error {
	n := 0
	for n < len(t.purges) && (time.Since(t.purges[n].at) > purgeDelay || t.kept > keepBounds*t.bound) {
		t.kept -= t.purges[n].Bytes
		n++
	}
	if n == 0 {
		return nil
	}
	upTo := t.purges[n-1].UpTo
	t.purges = append(t.purges[:0], t.purges[n:]...)
	if err := t.journal.Purge(ctx, upTo); err != nil {
		return fmt.Errorf("purge the journal up to %d: %w", upTo, err)
	}
	return nil
}

// behind is the number of bytes appended that the bucket does not have.
func (t *table) behind() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.checkpoint.Behind()
}

// stored is the sequence of the last append that the checkpoint has passed.
func (t *table) stored() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.checkpoint.Mark().From()
}
