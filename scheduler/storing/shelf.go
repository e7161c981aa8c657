package storing

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// smallItem is how large an item may be to stay in memory once it is stored, and
	// shelfBytes bounds those that do. Others are read back when they are handed over.
	smallItem  = 4 << 10
	shelfBytes = 64 << 20
	// readersAtMost bounds the executions whose items are read back at a time, and the
	// definitions that are; readBytes and readItems bound one read of items.
	readersAtMost = 8
	readBytes     = 1 << 20
	readItems     = 1000
	// missingFor is how long an item, or a definition, that is not where it was stored is
	// looked for: a replica may be behind. Between two looks lookAgain passes.
	missingFor = 5 * time.Second
	lookAgain  = 50 * time.Millisecond
)

// A shelf knows where the items of a partition's inboxes are: in memory, or under which
// sequence of their stream. An item takes some 40 bytes on it beside its value.
type shelf struct {
	items   *broker.Items
	chain   *broker.Chain
	log     *slog.Logger
	readers *semaphore.Weighted // one for each read under way

	mu     sync.Mutex
	queues map[schema.PlanName]*shelved
	bytes  int64 // of the values in memory that are stored, too
	sweepings
}

// shelved are the items of one inbox, the first of which has the number first.
type shelved struct {
	incarnation uint64
	first       int64
	list        []shelfItem
}

// shelfItem is one item; seq is 0 until it is stored, or as long as a leader that took
// over has not seen where.
type shelfItem struct {
	seq   uint64
	value []byte
	enc   wire.Encoding
}

func newShelf(items *broker.Items, chain *broker.Chain, log *slog.Logger) *shelf {
	return &shelf{
		items: items, chain: chain, log: log,
		readers: semaphore.NewWeighted(readersAtMost), queues: map[schema.PlanName]*shelved{},
		sweepings: sweepings{left: map[schema.PlanName]uint64{}},
	}
}

// at returns item n, nil when it is not on the shelf.
func (q *shelved) at(incarnation uint64, n int64) *shelfItem {
	if q == nil || q.incarnation != incarnation || n < q.first || n >= q.first+int64(len(q.list)) {
		return nil
	}
	return &q.list[n-q.first]
}

// adopt takes over an inbox of earlier leaders. Where its items are is seen when they are
// read.
func (s *shelf) adopt(i machine.Inbox) {
	s.queues[i.Name] = &shelved{incarnation: i.Incarnation, first: i.First, list: make([]shelfItem, i.Next-i.First)}
}

// put takes an item that is to be stored.
func (s *shelf) put(name schema.PlanName, n int64, item event.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queues[name]
	if q == nil || q.incarnation < item.Incarnation {
		q = &shelved{incarnation: item.Incarnation, first: n}
		s.queues[name] = q
	}
	if at := q.at(item.Incarnation, n); at != nil { // of an earlier leader
		at.value, at.enc = item.Value, item.Enc
		return
	}
	if q.incarnation == item.Incarnation && n == q.first+int64(len(q.list)) {
		q.list = append(q.list, shelfItem{value: item.Value, enc: item.Enc})
	}
}

// stored notes where an item was stored. It leaves memory when it is large, or there are
// many.
func (s *shelf) stored(n broker.ItemName, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := s.queues[n.Name].at(n.Incarnation, n.N)
	if item == nil {
		s.waste(n.Name, seq) // it was completed before it was stored
		return
	}
	item.seq = seq
	if size := int64(len(item.value)); size > smallItem || s.bytes+size > shelfBytes {
		item.value = nil
	} else {
		s.bytes += size
	}
}

// drop takes what has left an inbox off the shelf.
func (s *shelf) drop(d event.Drop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queues[d.Name]
	if q == nil || q.incarnation != d.Incarnation {
		return
	}
	n := int64(len(q.list))
	if d.Before != event.AllItems {
		n = min(max(d.Before-q.first, 0), n)
	}
	for i := range q.list[:n] {
		if item := &q.list[i]; item.seq != 0 {
			s.bytes -= int64(len(item.value))
			s.waste(d.Name, item.seq)
		}
	}
	clear(q.list[:n])
	q.list, q.first = q.list[n:], q.first+n
	if d.Before == event.AllItems {
		delete(s.queues, d.Name)
	}
}

// ready returns the items that are wanted if all of them are in memory.
func (s *shelf) ready(w Wanted) ([]wire.Value, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queues[w.Name]
	out := make([]wire.Value, 0, w.Count)
	for n := w.First; n < w.First+w.Count; n++ {
		item := q.at(w.Incarnation, n)
		if item == nil || item.value == nil {
			return nil, false
		}
		out = append(out, wire.Trust(item.enc, item.value))
	}
	return out, true
}

// read returns the items that are wanted, reading back those that are not in memory. Of
// one that cannot be found there is a line in the log, and the others are handed over.
func (s *shelf) read(ctx context.Context, w Wanted) ([]wire.Value, error) {
	if s.readers.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer s.readers.Release(1)
	found := make([]wire.Value, w.Count)
	for looks := (search{since: time.Now()}); ; {
		left, err := s.lookFor(ctx, w, found)
		switch over := looks.over(time.Now(), left, err); {
		case over && err != nil:
			return nil, err
		case left == 0 && err == nil:
			return found, nil
		case over:
			s.log.Error("items are lost: they were taken and are not in their stream",
				"plan", w.Name.String(), "first", w.First, "count", w.Count, "lost", left)
			return present(found), nil
		}
		if err := lookLater(ctx); err != nil {
			return nil, err
		}
	}
}

// A search bounds how long items are looked for.
type search struct {
	since  time.Time // its first look, or the last one that was of another kind
	failed bool      // the last look could not read
	looks  int       // since then
}

// leastLooks is how often items are looked for at least: a process that was stopped
// between two looks knows no more than two looks tell.
const leastLooks = 10

// over takes in a look at now, which failed or left so many to be found, and reports
// whether it is the last one. What could not be read is not missing: only a stream that
// can be read, and lacks items for so long, has lost them.
func (s *search) over(now time.Time, left int, err error) bool {
	if failed := err != nil; failed != s.failed {
		s.failed, s.since, s.looks = failed, now, 0
	}
	s.looks++
	return left == 0 && err == nil || now.Sub(s.since) > missingFor && s.looks >= leastLooks
}

// lookLater waits until it is time for the next look. If ctx ends first, it returns why.
func lookLater(ctx context.Context) error {
	select {
	case <-time.After(lookAgain):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func present(items []wire.Value) []wire.Value {
	out := items[:0]
	for _, item := range items {
		if !item.IsZero() {
			out = append(out, item)
		}
	}
	return out
}

// lookFor fills found with what is wanted, as far as it is there, and returns how many
// are missing.
func (s *shelf) lookFor(ctx context.Context, w Wanted, found []wire.Value) (left int, err error) {
	from := s.fromMemory(w, found)
	for left = missing(found); left > 0; {
		last := from
		more, err := s.items.Read(ctx, w.Name, from, readItems, readBytes, func(i broker.StoredItem) {
			last = i.Seq + 1
			s.found(i)
			if i.Incarnation == w.Incarnation && i.N >= w.First && i.N < w.First+w.Count && found[i.N-w.First].IsZero() {
				found[i.N-w.First] = wire.Trust(i.Enc, i.Value)
			}
		})
		if err != nil {
			return left, fmt.Errorf("read back: %w", err)
		}
		if left = missing(found); !more || last == from {
			break
		}
		from = last
	}
	return left, nil
}

func missing(items []wire.Value) (n int) {
	for _, item := range items {
		if item.IsZero() {
			n++
		}
	}
	return n
}

// fromMemory fills found with what is in memory, and returns from which sequence on the
// others may be.
func (s *shelf) fromMemory(w Wanted, found []wire.Value) (from uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queues[w.Name]
	known := false
	for i := range found {
		item := q.at(w.Incarnation, w.First+int64(i))
		switch {
		case item == nil:
		case item.value != nil:
			found[i] = wire.Trust(item.enc, item.value)
		case !known:
			from, known = item.seq, true // 0: nobody knows, so from the beginning
		}
	}
	return max(from, 1)
}

// found notes where an item was seen, and keeps it if there is room: who reads one batch
// will want the next.
func (s *shelf) found(i broker.StoredItem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := s.queues[i.Name].at(i.Incarnation, i.N)
	if item == nil {
		return
	}
	stored := item.seq != 0
	item.seq, item.enc = i.Seq, i.Enc
	size := int64(len(i.Value))
	switch {
	case item.value != nil && !stored:
		s.bytes += int64(len(item.value))
	case item.value == nil && size > 0 && size <= smallItem && s.bytes+size <= shelfBytes:
		item.value = i.Value
		s.bytes += size
	}
}
