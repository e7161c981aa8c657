package protocol_test

import (
	"maps"
	"math"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// text is an item that is its own value.
type text string

func (t text) Size() int { return len(t) }

type itemCache = protocol.ItemCache[string, text]

// newItemCache returns one in which so many bytes of stored items stay.
func newItemCache(room int64) *itemCache {
	return protocol.NewItemCache[string, text](func(_ uint64, size int, held int64) bool { return held+int64(size) <= room })
}

func item(queue string, n int64) protocol.ItemID[string] {
	return protocol.ItemID[string]{Queue: queue, Incarnation: 1, N: n}
}

// An item is in the cache from its push until it has left; its value leaves memory when it is
// stored and there is no room for it.
func TestAnItemInTheCache(t *testing.T) {
	s := newItemCache(5)
	want := func(what string, n int64, seq uint64, value text, on bool, held int64) {
		t.Helper()
		gotSeq, got, ok := s.At(item("q", n))
		if gotSeq != seq || got != value || ok != on || s.Held() != held {
			t.Errorf("%s: item %d is at %d, %q, %t, with %d bytes held", what, n, gotSeq, got, ok, s.Held())
		}
	}
	s.Put(item("q", 1), "one")
	s.Put(item("q", 2), "two")
	s.Put(item("q", 4), "four")
	want("nothing is stored", 1, 0, "one", true, 0)
	want("there is no third", 4, 0, "", false, 0)
	s.Stored(item("q", 1), 10)
	want("there is room", 1, 10, "one", true, 3)
	s.Stored(item("q", 2), 11)
	want("there is none", 2, 11, "", true, 3)
	s.Drop("q", 1, 2)
	want("it has left", 1, 0, "", false, 0)
	s.Found(item("q", 2), 11, "two")
	want("it was read back", 2, 11, "two", true, 3)
	s.Drop("q", 9, math.MaxInt64)
	want("another queue of the name has left", 2, 11, "two", true, 3)
	s.Put(protocol.ItemID[string]{Queue: "q", Incarnation: 2, N: 7}, "x")
	want("a new queue of the name has come", 2, 0, "", false, 0)
	s.Put(item("q", 3), "three")
	want("an older one comes too late", 3, 0, "", false, 0)
}

// An item that is read before its sequence is known is counted once.
func TestAnItemThatIsFoundBeforeItIsStored(t *testing.T) {
	s := newItemCache(5)
	s.Put(item("q", 1), "one")
	s.Found(item("q", 1), 10, "one")
	s.Stored(item("q", 1), 10)
	if s.Held() != 3 {
		t.Errorf("%d bytes are held", s.Held())
	}
	s.Drop("q", 1, math.MaxInt64)
	if s.Held() != 0 {
		t.Errorf("%d bytes are held of nothing", s.Held())
	}
}

// Items that earlier leaders left are in the cache, and their sequences become known; others have
// left.
func TestItemsThatEarlierLeadersLeft(t *testing.T) {
	s := newItemCache(100)
	s.Adopt("q", 1, 3, 5)
	s.Put(item("q", 4), "four") // which is not stored
	s.Survey(item("q", 2), 7)
	s.Survey(item("q", 3), 8)
	s.Survey(item("gone", 1), 9)
	if seq, value, ok := s.At(item("q", 3)); seq != 8 || value != "" || !ok {
		t.Errorf("item 3 is at %d, %q, %t", seq, value, ok)
	}
	if seq, value, ok := s.At(item("q", 4)); seq != 0 || value != "four" || !ok {
		t.Errorf("item 4 is at %d, %q, %t", seq, value, ok)
	}
	if below, ok := s.Sweep(10); below != 8 || !ok || s.Waste() != 1 {
		t.Errorf("swept below %d, %t, and %d queues are left", below, ok, s.Waste())
	}
}

// No waiting item is removed. All messages below the first one are, and behind it the garbage of
// queues.
func TestSweep(t *testing.T) {
	s := newItemCache(100)
	for n, queue := range []string{"early", "slow", "quick", "again", "again"} {
		s.Put(item(queue, int64(n)), text(queue))
		s.Stored(item(queue, int64(n)), uint64(10+n))
	}
	if _, ok := s.Sweep(15); ok {
		t.Error("something is swept, and nothing has left")
	}
	s.Drop("early", 1, math.MaxInt64)
	s.Drop("quick", 1, math.MaxInt64)
	s.Drop("again", 1, 4)
	s.Stored(item("never", 1), 15) // it was completed before
	if below, ok := s.Sweep(16); below != 11 || !ok {
		t.Errorf("swept below %d, %t", below, ok)
	}
	late := maps.Collect(s.Late())
	if want := (map[string]uint64{"quick": 12, "again": 13, "never": 15}); !maps.Equal(late, want) {
		t.Errorf("late are %v, want %v", late, want)
	}
	s.Stored(item("quick", 1), 16) // more items have left meanwhile
	for queue, upTo := range late {
		s.Swept(queue, upTo)
	}
	if left, want := maps.Collect(s.Late()), (map[string]uint64{"quick": 16}); !maps.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	s.Drop("slow", 1, math.MaxInt64)
	s.Drop("again", 1, math.MaxInt64)
	if below, ok := s.Sweep(17); below != 17 || !ok || s.Waste() != 0 {
		t.Errorf("swept below %d, %t, and %d queues are left", below, ok, s.Waste())
	}
}

// A queue with items again is swept by itself no further than up to its first item.
func TestAQueueThatWaitsAgain(t *testing.T) {
	s := newItemCache(100)
	s.Put(item("slow", 1), "x")
	s.Stored(item("slow", 1), 10)
	s.Put(item("q", 5), "new")
	s.Stored(item("q", 5), 12)
	s.Survey(protocol.ItemID[string]{Queue: "q", N: 9}, 14) // of an older queue
	s.Sweep(15)
	if late, want := maps.Collect(s.Late()), (map[string]uint64{"q": 11}); !maps.Equal(late, want) {
		t.Errorf("late are %v, want %v", late, want)
	}
}
