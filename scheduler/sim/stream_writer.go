package sim

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A streamWriter writes a stream behind the journal (scheduler/storing/stream_writer.go): results, or the
// items of inboxes.
type streamWriter struct {
	l        *leader
	chain    *chain
	queue    []queued
	progress protocol.Progress
	writing  bool
}

// queued is one message on its way, and how far the journal is taken with it.
type queued struct {
	message
	mark   protocol.Mark
	stored func(seq uint64) // the leader's callback; nil: none
	sentIn int              // of a result: its connection; 0: it is still to be published
}

// resultID is one result on its way to its stream.
type resultID struct {
	name schema.PlanName
	n    int64
	body string
}

// gather is how long a message waits for others.
const gather = 20 * time.Millisecond

func (r *streamWriter) add(m queued) {
	r.queue = append(r.queue, m)
	r.progress.Add()
	r.writeSoon()
}

func (r *streamWriter) writeSoon() {
	if r.writing || len(r.queue) == 0 {
		return
	}
	r.writing = true
	r.l.w.after(gather, r.l.mine(r.write))
}

// write stores the next batch.
func (r *streamWriter) write() {
	batch := slices.Clone(r.queue[:min(len(r.queue), 1+r.l.w.rng.IntN(20))])
	upTo := batch[len(batch)-1].mark
	messages := make([]message, len(batch))
	for i, m := range batch {
		messages[i] = m.message
	}
	store := func() { r.chain.write(messages, upTo, func() { r.stores(batch, upTo) }) }
	if r == &r.l.results {
		r.l.ensure(batch, store)
		return
	}
	store()
}

// stores continues when a batch is stored.
func (r *streamWriter) stores(batch []queued, upTo protocol.Mark) {
	for i, m := range batch {
		if m.stored != nil {
			m.stored(r.chain.Revision() + 1 + uint64(i))
		}
	}
	r.queue = r.queue[len(batch):]
	r.progress.Store(len(batch), upTo)
	r.writing = false
	r.writeSoon()
	r.l.turnSoon() // it may have stopped beginning executions
}

// storeResult has a result stored that was published on a connection; 0: it was not.
func storeResult(l *leader, id resultID, at protocol.Mark, sentIn int) {
	l.results.add(queued{mark: at, message: message{id: &id}, sentIn: sentIn})
}

// inherits has a result stored that an earlier leader has decided, and perhaps published.
func inherits(l *leader, id resultID, at protocol.Mark) {
	sentIn := 0
	if l.w.planted(Unpublished) {
		sentIn = l.link.generation
	}
	storeResult(l, id, at, sentIn)
}
