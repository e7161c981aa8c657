package sim

import (
	"bytes"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// table writes the bucket behind the journal, moves the checkpoint and purges what
// lies behind it (scheduler/storing/table.go).
type table struct {
	l       *leader
	chain   *chain
	commits []commit // those that the checkpoint has not passed
	bytes   int
	dirty   bool
	ticking bool
	taken   mark // how far the bucket has the journal
	mark    mark // the checkpoint: as far, and all results and items stored
	moved   time.Time
}

// commit is a batch that became append seq.
type commit struct {
	number, seq uint64
	bytes       int
}

const (
	// flushEvery is how often rows are asked for, and fenceRest how often the
	// checkpoint is moved without any.
	flushEvery = 250 * time.Millisecond
	fenceRest  = time.Second
	// bound is how far the journal may grow before busy rows are written, too.
	bound = 20 << 10
)

// wrote says that a batch is durable.
func (t *table) wrote(number, seq uint64, bytes int) {
	t.commits = append(t.commits, commit{number, seq, bytes})
	t.bytes += bytes
	t.soil()
}

// soil has the table look again.
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
	t.l.after = append(t.l.after, event.Flush{Max: 2 + t.l.w.rng.IntN(60), Force: t.bytes > bound})
	t.l.turnSoon()
}

// write stores rows with the checkpoint that they lead to, which does not pass a
// result or an item that is not stored.
func (t *table) write(w event.Write) {
	t.pass(w.Before)
	upTo := t.taken
	if t.l.w.planted(CheckpointAll) {
		upTo = mark{seq: t.l.seq + 1}
	}
	if r := t.l.results.stored(); r.before(upTo) && !t.l.w.planted(PassesResults) {
		upTo = r
	}
	if i := t.l.items.stored(); i.before(upTo) && !t.l.w.planted(PassesItems) {
		upTo = i
	}
	if upTo.before(t.mark) {
		upTo = t.mark
	}
	t.ticking = false
	rest := len(w.Rows) == 0 && (upTo == t.mark || t.l.w.now.Sub(t.moved) < fenceRest)
	if w.Left > 0 || upTo.before(t.taken) || rest && upTo != t.mark || t.dirty {
		defer t.soil()
	}
	if rest {
		return
	}
	if t.l.w.planted(PurgeFirst) {
		t.l.call(func() error { t.l.d.purge(max(upTo.seq, 1) - 1); return nil }, func(error) {})
	}
	t.ticking = true // not again before it is stored
	store := []message{{store: func(uint64) { t.l.d.put(w.Rows) }}}
	stored := func() {
		t.moved = t.l.w.now
		if upTo != t.mark {
			t.mark = upTo
			t.purgeLater(upTo.seq - 1)
		}
		t.ticking = false
		if t.dirty {
			t.soil()
		}
	}
	if t.l.w.planted(CheckpointFirst) {
		t.chain.write(nil, upTo, func() { t.chain.write(store, upTo, stored) })
		return
	}
	t.chain.write(store, upTo, stored)
}

// pass forgets the commits before the batch of the given number.
func (t *table) pass(before uint64) {
	n := 0
	for n < len(t.commits) && t.commits[n].number < before {
		t.taken = mark{seq: t.commits[n].seq + 1}
		t.bytes -= t.commits[n].bytes
		n++
	}
	t.commits = t.commits[n:]
}

// purgeLater takes from the journal what the bucket has had for a while.
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
