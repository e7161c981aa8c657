package machine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// store is what outlives a leader.
type store struct {
	journal    []journalled
	bucket     map[string][]byte
	checkpoint int // that many appends are in the bucket
}

// journalled is one append.
type journalled struct{ body []byte }

func (s *store) keys() []string {
	var keys []string
	for key := range s.bucket {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// leadership is what dies with a leader: its machine, and its batches on their way
// through the pipeline.
type leadership struct {
	m       *Machine
	epoch   int64
	number  uint64
	batch   *Batch     // gathers
	flying  *underway  // with the pen
	durable []underway // not performed yet
	commits []commit   // of this leadership, and those that it replayed
}

// underway is a sealed batch.
type underway struct {
	number  uint64
	body    []byte
	effects []Effect
}

// commit says which append a batch became, counted from 1.
type commit struct {
	number uint64
	seq    int
}

// capacity is what a server with the usual max_payload leaves.
const capacity = 1<<20 - 8<<10

// takeOver makes a machine of what is durable, and lets it lead.
func (h *history) takeOver() {
	l := &leadership{m: h.replay(), epoch: 1, batch: NewBatch(capacity), number: 1}
	if h.leadership != nil {
		l.epoch = h.epoch + 1
	}
	for seq := h.stored.checkpoint + 1; seq <= len(h.stored.journal); seq++ {
		l.commits = append(l.commits, commit{0, seq})
	}
	l.batch.Reset(1)
	l.m.Lead(h.now, l.epoch, h.now.Add(-1000*time.Hour))
	h.leadership = l
	h.note("epoch %d leads, from append %d on", l.epoch, h.stored.checkpoint)
}

// replay makes a machine of the bucket and the journal behind the checkpoint: as
// they are, or as one that follows has seen them since the take-over before.
func (h *history) replay() *Machine {
	began := h.began
	if h.rng.IntN(2) == 0 {
		began = h.stored
	}
	h.began = store{bucket: maps.Clone(h.stored.bucket), checkpoint: h.stored.checkpoint}
	m := New(config)
	keys := began.keys()
	h.rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys {
		if err := m.ReplayBucket(key, began.bucket[key]); err != nil {
			h.t.Fatalf("bucket: %v", err)
		}
	}
	defer func() { m.Stored(uint64(h.stored.checkpoint)) }()
	for i, a := range h.stored.journal[began.checkpoint:] {
		if h.rng.IntN(100) == 0 { // now and then a follower looks how far the bucket is
			m.Stored(uint64(min(began.checkpoint+i, h.stored.checkpoint)))
		}
		body := bytes.Clone(a.body)
		if err := Rows(body, func(r Row) error {
			// What does not go with the other half of a plan, of which the bucket is
			// ahead, is forgiven when the rest has been read.
			if err := m.Replay(uint64(began.checkpoint+i+1), r); err != nil && m.broken[r.Name] == nil {
				return err
			}
			return nil
		}); err != nil {
			h.t.Fatalf("journal: %v", err)
		}
		clear(body) // the machine keeps none of it
	}
	if len(m.broken) > 0 {
		h.t.Fatalf("rows make no sense: %v", m.broken)
	}
	return m
}

// seal hands the batch to the pen when that is free and there is something.
func (h *history) seal() {
	if h.flying != nil || h.batch.Empty() {
		return
	}
	u := underway{number: h.number, effects: slices.Clone(h.batch.Effects)}
	size := sealedSize(h.batch)
	u.body = bytes.Clone(h.batch.Seal())
	if len(u.body) != size {
		h.t.Fatalf("a batch of %d bytes was sealed with %d", size, len(u.body))
	}
	h.number++
	h.batch.Reset(h.number)
	h.flying = &u
}

// commit makes the append in flight durable.
func (h *history) commit() {
	if h.flying == nil {
		return
	}
	u := *h.flying
	h.flying = nil
	if len(u.body) > 0 {
		h.stored.journal = append(h.stored.journal, journalled{u.body})
		h.commits = append(h.commits, commit{u.number, len(h.stored.journal)})
	}
	h.observer.committed(u)
	h.durable = append(h.durable, u)
}

// perform does what the oldest durable batch has decided.
func (h *history) perform() {
	if len(h.durable) == 0 {
		return
	}
	u := h.durable[0]
	h.durable = h.durable[1:]
	for _, e := range u.effects {
		h.do(e)
	}
}

func (h *history) do(e Effect) {
	switch e := e.(type) {
	case Dispatch:
		h.observer.published(h, e.Execution)
		h.work(e.Execution)
	case Write:
		h.write(e)
	}
}

// write stores rows, all of them or none, with the checkpoint that they lead to.
func (h *history) write(w Write) {
	h.note("the bucket takes %s", lazy{w})
	for _, row := range w.Rows {
		if len(row.Value) == 0 {
			delete(h.stored.bucket, row.Key)
		} else {
			h.stored.bucket[row.Key] = bytes.Clone(row.Value)
		}
	}
	for len(h.commits) > 0 && h.commits[0].number < w.Before {
		h.stored.checkpoint = h.commits[0].seq
		h.commits = h.commits[1:]
	}
}

// pump moves everything one place on.
func (h *history) pump() {
	if h.flying != nil {
		h.commit()
	}
	h.seal()
	if len(h.durable) > 2 {
		h.perform()
	}
}

// settle performs all that was decided.
func (h *history) settle() {
	for h.flying != nil || !h.batch.Empty() || len(h.durable) > 0 {
		h.seal()
		h.commit()
		h.perform()
	}
}

// crash ends the leader. The append in flight may have landed, and some of the
// effects of what is durable may have been performed.
func (h *history) crash() {
	if h.chance(2) {
		h.commit()
	}
	for len(h.durable) > 0 && h.chance(2) {
		h.perform()
	}
	if len(h.durable) > 0 {
		effects := h.durable[0].effects
		for _, e := range effects[:h.rng.IntN(len(effects)+1)] {
			h.do(e)
		}
	}
	h.note("the leader dies")
	h.wire = slices.DeleteFunc(h.wire, func(m message) bool {
		_, isSent := m.ev.(Sent) // it came from the leader itself
		return isSent || h.chance(4)
	})
	h.now = h.now.Add(h.within(20 * time.Second))
	h.takeOver()
}

// compare checks that what is durable makes the same machine as the live one.
func (h *history) compare() {
	h.settle()
	live, again := dump(h.m, h.observer), dump(h.replay(), h.observer)
	if diff := cmp.Diff(live, again); diff != "" {
		h.t.Fatalf("replayed from append %d on, the machine is another (- live, + replayed):\n%s", h.stored.checkpoint, diff)
	}
}

// flushAll has the bucket take all there is, and checks that it does.
func (h *history) flushAll() {
	h.settle()
	for h.m.Unwritten() > 0 {
		left := h.m.Unwritten()
		h.step(Flush{Max: 100, Force: true})
		h.settle()
		if h.m.Unwritten() >= left {
			h.t.Fatalf("a forced flush leaves %d rows", left)
		}
	}
	h.step(Flush{Max: 100})
	h.settle()
	if h.stored.checkpoint != len(h.stored.journal) {
		h.t.Errorf("all is written, but the checkpoint is %d of %d appends", h.stored.checkpoint, len(h.stored.journal))
	}
	h.compare()
}

// dump shows a machine's table, line by line. Left out is what a successor finds
// out anew: when an execution that reached nobody was last published.
func dump(m *Machine, o *observer) []string {
	lines := []string{fmt.Sprintf("%d plans, %d broken", len(m.plans), len(m.broken))}
	m.sorted.Scan(func(p *plan) bool {
		for _, open := range p.open {
			for _, x := range open.live {
				if o.republished(p, x.n) {
					defer func(was execution) { *x = was }(*x)
					x.sent, x.startBy, x.deadline = 0, 0, 0
				}
			}
		}
		lines = append(lines, p.dump())
		return true
	})
	var stations []string
	for _, s := range m.stations {
		if s.record != nil || s.plans > 0 {
			stations = append(stations, fmt.Sprintf("station %s %s revision %d, %d plans", s.name, text(s.record), s.revision, s.plans))
		}
	}
	slices.Sort(stations)
	return append(lines, stations...)
}

func (p *plan) dump() string {
	next := fmt.Sprint(p.next)
	if p.schedule.Continuous() {
		next = "whenever somebody asks"
	}
	return fmt.Sprintf("%s at %s: %s next %s %s headers %t shared %d opts %+v", p.name, p.station.name,
		wire.Trust(wire.MsgPack, p.appendState(new(wire.Writer), nil)), next, wire.Trust(p.enc, p.raw), p.hasHeaders, p.sharedCount, p.options())
}

func text(v any) string {
	b, err := wire.Marshal(wire.JSON, v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
