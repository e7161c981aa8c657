package storing

import (
	"log/slog"
	"testing"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The items of a queue, however long it is, and however it is emptied and filled, take only so many
// bytes of memory beside those that are still on their way to disk.
func TestTheCacheKeepsOnlySoManyBytes(t *testing.T) {
	const items, batch = 40_000, 1000
	name := schema.PlanName{Station: "queue", PlanID: "long"}
	value := make([]byte, smallItem)
	s := newItemCache(nil, nil, slog.New(slog.DiscardHandler))
	first, last := int64(1), int64(0)
	held := func() (bytes int64) {
		for n := first; n <= last; n++ {
			_, value, _ := s.books.At(itemID{Queue: name, Incarnation: 1, N: n})
			bytes += int64(value.Size())
		}
		if bytes != s.books.Held() || bytes > cacheBytes {
			t.Fatalf("%d bytes are held, %d are counted, at most %d may be", bytes, s.books.Held(), int64(cacheBytes))
		}
		return bytes
	}
	put := func(n int64) {
		id := broker.ItemName{Name: name, Incarnation: 1, N: n}
		s.put(id, event.Item{Incarnation: 1, Value: value})
		s.stored(id, uint64(n))
	}
	for range items {
		last++
		put(last)
	}
	if got := held(); got != cacheBytes {
		t.Errorf("%d bytes of %d items are held, there is room for %d", got, items, int64(cacheBytes))
	}
	for first < last {
		first += batch
		s.drop(event.Drop{Name: name, Incarnation: 1, Before: first})
		if first < items/2 { // pushes during the first deliveries
			for range batch / 2 {
				last++
				put(last)
			}
		}
		held()
	}
	if held := s.books.Held(); held != 0 {
		t.Errorf("%d bytes are held of an empty queue", held)
	}
}
