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
	// smallItem is how large an item may be to stay in memory once it is stored, and
	// shelfBytes bounds those that do. Others are read back when they are handed over.
	smallItem  = 4 << 10
	shelfBytes = 64 << 20
	// readersAtMost bounds the executions whose items are read back at a time, and the
	// definitions that are; readBytes and readItems bound one read of items.
	readersAtMost = 8
	readBytes     = 1 << 20
	readItems     = 1000
	// lookAgain passes between two looks for what is not where it was stored.
	lookAgain = 50 * time.Millisecond
)

// A shelf has the books of a partition's items, and reads back what they have not in memory.
type shelf struct {
	items   *broker.Items
	chain   *broker.Chain
	log     *slog.Logger
	readers *semaphore.Weighted // one for each read under way

	mu    sync.Mutex
	books *protocol.Shelf[schema.PlanName, shelved]
}

// shelved is what an item says.
type shelved struct{ wire.Value }

// Size is that of its bytes.
func (v shelved) Size() int { return len(v.Raw()) }

type itemID = protocol.ItemID[schema.PlanName]

func idOf(n broker.ItemName) itemID {
	return itemID{Queue: n.Name, Incarnation: n.Incarnation, N: n.N}
}

func newShelf(items *broker.Items, chain *broker.Chain, log *slog.Logger) *shelf {
	return &shelf{
		items: items, chain: chain, log: log, readers: semaphore.NewWeighted(readersAtMost),
		books: protocol.NewShelf[schema.PlanName, shelved](staysInMemory),
	}
}

// staysInMemory reports that a stored value is small, and there is room for it.
func staysInMemory(_ uint64, size int, held int64) bool {
	return size <= smallItem && held+int64(size) <= shelfBytes
}

// adopt takes over an inbox of earlier leaders. Where its items are is seen when they are
// read.
func (s *shelf) adopt(i machine.Inbox) { s.books.Adopt(i.Name, i.Incarnation, i.First, i.Next) }

// put takes an item that is to be stored.
func (s *shelf) put(n broker.ItemName, item event.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Put(idOf(n), shelved{wire.Trust(item.Enc, item.Value)})
}

// stored notes where an item was stored.
func (s *shelf) stored(n broker.ItemName, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Stored(idOf(n), seq)
}

// drop takes what has left an inbox off the shelf.
func (s *shelf) drop(d event.Drop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Drop(d.Name, d.Incarnation, d.Before)
}

// ready returns the items that are wanted if all of them are in memory.
func (s *shelf) ready(w Wanted) ([]wire.Value, bool) {
	out := make([]wire.Value, w.Count)
	s.fromMemory(w, out)
	return out, missing(out) == 0
}

// read returns the items that are wanted, reading back those that are not in memory. Of
// one that cannot be found there is a line in the log, and the others are handed over.
func (s *shelf) read(ctx context.Context, w Wanted) ([]wire.Value, error) {
	if s.readers.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer s.readers.Release(1)
	found := make([]wire.Value, w.Count)
	for looks := protocol.NewSearch(time.Now()); ; {
		left, err := s.lookFor(ctx, w, found)
		switch over := looks.Over(time.Now(), left > 0, err != nil); {
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
	known := false
	for i := range found {
		seq, value, ok := s.books.At(itemID{Queue: w.Name, Incarnation: w.Incarnation, N: w.First + int64(i)})
		switch {
		case !ok:
		case value.Size() > 0:
			found[i] = value.Value
		case !known:
			from, known = seq, true // 0: nobody knows, so from the beginning
		}
	}
	return max(from, 1)
}

// found notes where an item was seen.
func (s *shelf) found(i broker.StoredItem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Found(idOf(i.ItemName), i.Seq, shelved{wire.Trust(i.Enc, i.Value)})
}
