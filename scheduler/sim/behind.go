package sim

import (
	"bytes"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// results writes the results behind the journal (scheduler/results.go).
type results struct {
	l       *leader
	chain   *chain
	queue   []storedResult
	mark    mark   // how far the journal's results are stored
	through uint64 // the newest append all of whose results were added
	writing bool
}

// resultID is one result on its way to its stream.
type resultID struct {
	name schema.PlanName
	n    int64
	body string
}

type storedResult struct {
	id   resultID
	mark mark
}

const (
	// congestion is how many results may be behind before no more is begun.
	congestion = 200
	// gather is how long a result waits for others.
	gather = 20 * time.Millisecond
)

func (r *results) congested() bool { return len(r.queue) > congestion }

func (r *results) add(id resultID, at mark) {
	r.queue = append(r.queue, storedResult{id, at})
	r.writeSoon()
}

func (r *results) performed(seq uint64) {
	if seq != 0 {
		r.through = seq
	}
}

// stored is how far the journal may be forgotten as far as results go.
func (r *results) stored() mark {
	if len(r.queue) == 0 && r.through >= r.mark.seq {
		return mark{seq: r.through + 1}
	}
	return r.mark
}

func (r *results) writeSoon() {
	if r.writing || len(r.queue) == 0 {
		return
	}
	r.writing = true
	r.l.w.after(gather, r.l.mine(r.write))
}

// write stores the next batch.
func (r *results) write() {
	batch := slices.Clone(r.queue[:min(len(r.queue), 1+r.l.w.rng.IntN(20))])
	upTo := batch[len(batch)-1].mark
	r.chain.write(func() {
		for _, s := range batch {
			r.l.w.check.stored(s.id)
		}
	}, upTo, func() {
		was := r.congested()
		r.queue = r.queue[len(batch):]
		r.mark = upTo
		r.writing = false
		r.writeSoon()
		if was && !r.congested() {
			r.l.turnSoon()
		}
	})
}

// table writes the bucket behind the journal, moves the checkpoint and purges what
// lies behind it (scheduler/table.go).
type table struct {
	l       *leader
	chain   *chain
	commits []commit // those that the checkpoint has not passed
	bytes   int
	dirty   bool
	ticking bool
	taken   mark // how far the bucket has the journal
	mark    mark // the checkpoint: as far, and all results stored
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
	t.l.after = append(t.l.after, machine.Flush{Max: 2 + t.l.w.rng.IntN(60), Force: t.bytes > bound})
	t.l.turnSoon()
}

// write stores rows with the checkpoint that they lead to, which does not pass a
// result that is not stored.
func (t *table) write(w machine.Write) {
	t.pass(w.Before)
	upTo := t.taken
	if t.l.w.planted(CheckpointAll) {
		upTo = mark{seq: t.l.seq + 1}
	}
	if r := t.l.results.stored(); r.before(upTo) && !t.l.w.planted(PassesResults) {
		upTo = r
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
	store := func() { t.l.d.put(w.Rows) }
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
func (d *disk) put(rows []machine.BucketRow) {
	for _, row := range rows {
		switch {
		case len(row.Value) > 0:
			d.bucket[row.Key] = bytes.Clone(row.Value)
		case !d.w.planted(DeletesLeftOut):
			delete(d.bucket, row.Key)
		}
	}
}
