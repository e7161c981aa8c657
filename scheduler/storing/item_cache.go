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
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// smallItem bounds the size of items that stay in memory once they are stored, and cacheBytes
	// their sum. Others are read back when they are delivered.
	smallItem  = 4 << 10
	cacheBytes = 64 << 20
	// readersAtMost bounds the executions whose items are read back at a time, and the definitions;
	// readBytes and readItems bound one read of items.
	readersAtMost = 8
	readBytes     = 1 << 20
	readItems     = 1000
	// lookAgain is the interval between two searches for a message that is missing where it was
	// stored.
	lookAgain = 50 * time.Millisecond
)

// An itemCache is the item cache of a partition: it knows where its items are, and reads back those that
// are not in memory.
type itemCache struct {
	items   *broker.Items
	chain   *broker.Chain
	log     *slog.Logger
	readers *semaphore.Weighted // one for each read under way

	mu    sync.Mutex
	books *protocol.ItemCache[schema.PlanName, cachedValue]
	// lost are the inboxes of which a lost stream had items, as they were adopted. A read of them
	// is not repeated, because no replica has them either.
	lost map[schema.PlanName]machine.Inbox
}

// cachedValue is the value of an item.
type cachedValue struct{ wire.Value }

// Size is that of its bytes.
func (v cachedValue) Size() int { return len(v.Raw()) }

type itemID = protocol.ItemID[schema.PlanName]

func idOf(n broker.ItemName) itemID {
	return itemID{Queue: n.Name, Incarnation: n.Incarnation, N: n.N}
}

func newItemCache(items *broker.Items, chain *broker.Chain, log *slog.Logger) *itemCache {
	return &itemCache{
		items: items, chain: chain, log: log, readers: semaphore.NewWeighted(readersAtMost),
		books: protocol.NewItemCache[schema.PlanName, cachedValue](staysInMemory),
		lost:  map[schema.PlanName]machine.Inbox{},
	}
}

// staysInMemory reports that a stored value is small, and there is room for it.
func staysInMemory(_ uint64, size int, held int64) bool {
	return size <= smallItem && held+int64(size) <= cacheBytes
}

// lose has the items of an inbox that cannot be found be given up at once. It is called before any
// read.
func (s *itemCache) lose(i machine.Inbox) { s.lost[i.Name] = i }

// isLost reports that no replica has the wanted items that were not found.
func (s *itemCache) isLost(w Wanted, found []wire.Value) bool {
	in, is := s.lost[w.Name]
	for i, item := range found {
		is = is && (!item.IsZero() || w.First+int64(i) < in.Next)
	}
	return is && in.Incarnation == w.Incarnation
}

// adopt takes over an inbox of earlier leaders. The sequences of its items become known when they
// are read.
func (s *itemCache) adopt(i machine.Inbox) { s.books.Adopt(i.Name, i.Incarnation, i.First, i.Next) }

// put takes an item that is to be stored.
func (s *itemCache) put(n broker.ItemName, item event.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Put(idOf(n), cachedValue{wire.Trust(item.Enc, item.Value)})
}

// stored records the sequence at which an item was stored.
func (s *itemCache) stored(n broker.ItemName, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Stored(idOf(n), seq)
}

// drop takes items that have left an inbox out of the cache.
func (s *itemCache) drop(d event.Drop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Drop(d.Name, d.Incarnation, d.Before)
}

// ready returns the wanted items if all of them are in memory.
func (s *itemCache) ready(w Wanted) ([]wire.Value, bool) {
	out := make([]wire.Value, w.Count)
	s.fromMemory(w, out)
	return out, missing(out) == 0
}

// read returns the wanted items, and reads back those that are not in memory. An item that cannot
// be found is logged, and the others are returned.
func (s *itemCache) read(ctx context.Context, w Wanted) ([]wire.Value, error) {
	if s.readers.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer s.readers.Release(1)
	found := make([]wire.Value, w.Count)
	for looks := protocol.NewSearch(time.Now()); ; {
		left, err := s.lookFor(ctx, w, found)
		known := err == nil && s.isLost(w, found) // and was reported
		switch over := known || looks.Over(time.Now(), left > 0, err != nil); {
		case over && err != nil:
			return nil, err
		case left == 0 && err == nil:
			return found, nil
		case known:
			return present(found), nil
		case over:
			s.log.Error("items are lost: they were taken and are not in their stream",
				"plan", w.Name.String(), "first", w.First, "count", w.Count, "lost", left)
			if err := s.chain.TellItems(ctx, w.Name, uint64(w.First+w.Count-1), uint64(left)); err != nil {
				s.log.Error("a loss of items could not be reported", "plan", w.Name.String(), "error", err)
			}
			return present(found), nil
		}
		if err := lookLater(ctx); err != nil {
			return nil, err
		}
	}
}

// lookLater waits for the next search. If ctx ends first, it returns the cause.
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

// lookFor fills found with the wanted items, as far as the stream has them, and returns the number
// of missing ones.
func (s *itemCache) lookFor(ctx context.Context, w Wanted, found []wire.Value) (left int, err error) {
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

// fromMemory fills found with the items in memory, and returns the sequence from which on the
// others may be stored.
func (s *itemCache) fromMemory(w Wanted, found []wire.Value) (from uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := false
	for i := range found {
		seq, value, ok := s.books.At(itemID{Queue: w.Name, Incarnation: w.Incarnation, N: w.First + int64(i)})
		switch {
		case !ok:
		case value.Size() > 0:
			found[i] = value.Value
		case !known:
			from, known = seq, true // 0: unknown, so from the beginning
		}
	}
	return max(from, 1)
}

// found records where an item was seen.
func (s *itemCache) found(i broker.StoredItem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Found(idOf(i.ItemName), i.Seq, cachedValue{wire.Trust(i.Enc, i.Value)})
}
