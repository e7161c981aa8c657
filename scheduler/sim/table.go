package sim

import (
	"bytes"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// table writes the bucket behind the journal, moves the checkpoint and purges the journal below it
// (scheduler/storing/table.go).
type table struct {
	l          *leader
	chain      *chain
	checkpoint protocol.Checkpoint
	dirty      bool
	ticking    bool
	moved      time.Time
}

const (
	// flushEvery is how often rows are asked for, and fenceRest how often the
	// checkpoint is moved without any.
	flushEvery = 250 * time.Millisecond
	fenceRest  = time.Second
	// bound is how far the journal may grow before busy rows are written, too.
	bound = 20 << 10
)

// wrote records that a batch is durable.
func (t *table) wrote(number, seq uint64, bytes int) {
	t.checkpoint.Appended(number, seq, bytes)
	t.soil()
}

// soil schedules the table's next pass.
func (t *table) soil() {
	t.dirty = true
	if !t.ticking {
		t.ticking = true
		t.l.w.after(flushEvery, t.l.mine(t.flush))
	}
}

// flush asks the machine for rows.
func (t *table) flush() {
	if !t.l.leads {
		t.l.w.after(flushEvery, t.l.mine(t.flush))
		return
	}
	t.dirty = false
	t.l.after = append(t.l.after, event.Flush{Max: 2 + t.l.w.rng.IntN(60), Force: t.checkpoint.Overdue(bound, bound)})
	t.l.turnSoon()
}

// write stores rows with the checkpoint that they lead to.
func (t *table) write(w event.Write) {
	move := t.move(w)
	t.ticking = false
	if move.Again || t.dirty {
		defer t.soil()
	}
	if !move.Write {
		return
	}
	t.ticking = true // not again before it is stored
	store := []message{{store: func(uint64) { t.l.d.put(w.Rows) }}}
	stored := func() {
		t.moved = t.l.w.now
		if p, ok := t.checkpoint.Written(move); ok {
			t.purgeLater(p.UpTo)
		}
		t.ticking = false
		if t.dirty {
			t.soil()
		}
	}
	if t.l.w.planted(CheckpointFirst) {
		t.chain.write(nil, move.UpTo, func() { t.chain.write(store, move.UpTo, stored) })
		return
	}
	t.chain.write(store, move.UpTo, stored)
}

// move is the checkpoint's move with these rows, or its planted variant.
func (t *table) move(w event.Write) protocol.Move {
	var stored []protocol.Mark
	if !t.l.w.planted(PassesResults) {
		stored = append(stored, t.l.results.progress.UpTo())
	}
	if !t.l.w.planted(PassesItems) {
		stored = append(stored, t.l.items.progress.UpTo())
	}
	move := t.checkpoint.Move(protocol.Rows{
		Before: w.Before, N: len(w.Rows), Left: w.Left > 0, Soon: t.l.w.now.Sub(t.moved) < fenceRest,
	}, stored...)
	if t.l.w.planted(CheckpointAll) {
		move.UpTo = protocol.Mark{Seq: t.l.seq + 1}
	}
	if t.l.w.planted(PurgeFirst) && move.Write {
		t.l.call(func() error { t.l.d.purge(move.UpTo.From()); return nil }, func(error) {})
	}
	return move
}

// purgeLater purges appends that the bucket has had for a while.
func (t *table) purgeLater(upTo uint64) {
	t.l.w.after(t.l.w.within(10*time.Second), t.l.mine(func() {
		t.l.call(func() error { t.l.d.purge(upTo); return nil }, func(error) {}) // a later one does it, too
	}))
}

// put writes rows of the bucket.
func (d *disk) put(rows []event.BucketRow) {
	for _, row := range rows {
		switch {
		case len(row.Value) > 0:
			d.bucket[row.Key] = bytes.Clone(row.Value)
		case !d.w.planted(DeletesLeftOut):
			delete(d.bucket, row.Key)
		}
	}
}
