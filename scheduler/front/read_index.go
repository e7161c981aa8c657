package front

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/stationmaster-io/stationmaster/broker"
)

// A readIndex has entries of stored results, the ones that a search wants, of the parts of the stream
// that searches have read. A stored result never changes, so a part that was read once is not read again.
// It is in memory, because it costs a few seconds to make anew, while an index on the disk would have to
// be written with each such result. It is safe for concurrent use.
type readIndex[E entry] struct {
	most int // entries; the oldest are dropped

	mu    sync.Mutex
	parts []readPart[E] // from the end of the stream to its beginning; between two of them is a gap
}

// An entry is what an index has of a result.
type entry interface {
	sequence() uint64 // in the stream
}

// mostParts bounds the parts of an index. The oldest are dropped.
const mostParts = 1_000

// A readPart is a part of the stream that was read, from the sequence low up to, not including, high.
type readPart[E entry] struct {
	low, high uint64
	entries   []E // the highest sequence first
}

// below returns the beginning of the part that ends at a sequence or goes on behind it, and its entries
// below that sequence. If none does, known is false, and low is the end of the next part.
func (x *readIndex[E]) below(at uint64) (low uint64, entries []E, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.parts {
		switch {
		case p.high < at:
			return p.high, nil, false
		case p.low < at:
			from, _ := slices.BinarySearchFunc(p.entries, at-1, func(e E, at uint64) int { return descending(e.sequence(), at) })
			return p.low, p.entries[from:], true
		}
	}
	return 0, nil, false
}

// add enters a part that was read, with the entries in it, the highest first. The lists of entries
// that below has returned do not change.
func (x *readIndex[E]) add(low, high uint64, entries []E) {
	if low >= high {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	from, _ := slices.BinarySearchFunc(x.parts, high, func(p readPart[E], high uint64) int { return descending(p.low, high) })
	to, all := from, readPart[E]{low: low, high: high}
	for ; to < len(x.parts) && x.parts[to].high >= low; to++ { // those that touch it
		all.low, all.high = min(all.low, x.parts[to].low), max(all.high, x.parts[to].high)
	}
	switch {
	case to == from:
		all.entries = entries
	case to == from+1 && x.parts[from].low == high: // a search reads on
		all.entries = append(x.parts[from].entries, entries...)
	default:
		for _, p := range x.parts[from:to] {
			all.entries = append(all.entries, p.entries...)
		}
		all.entries = mergeEntries(all.entries, entries)
	}
	x.parts = slices.Replace(x.parts, from, to, all)
	x.shrink()
}

func descending(a, b uint64) int { return cmp.Compare(b, a) }

// mergeEntries returns the entries of two lists, the highest first, without doubles.
func mergeEntries[E entry](a, b []E) []E {
	all := make([]E, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch first, second := a[0].sequence(), b[0].sequence(); {
		case first == second:
			a = a[1:]
		case first > second:
			all, a = append(all, a[0]), a[1:]
		default:
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// shrink drops the oldest parts and entries beyond the bounds.
func (x *readIndex[E]) shrink() {
	if len(x.parts) > mostParts {
		x.parts = slices.Delete(x.parts, mostParts, len(x.parts))
	}
	entries := 0
	for i := range x.parts {
		p := &x.parts[i]
		if room := x.most - entries; len(p.entries) > room {
			p.low, p.entries = p.entries[room].sequence()+1, slices.Clip(p.entries[:room])
			x.parts = slices.Delete(x.parts, i+1, len(x.parts))
		}
		if entries += len(p.entries); len(x.parts) == i+1 {
			break
		}
	}
}

// end notes where the stream ends. One that ends before a part is another stream.
func (x *readIndex[E]) end(at uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.parts) > 0 && x.parts[0].high > at {
		x.parts = nil
	}
}

// An indexedSearch goes back through the stream of results with an index.
type indexedSearch[E entry] struct {
	index *readIndex[E]
	// known is called with the entries of a part that was read before, the highest first.
	known func([]E) (on bool, err error)
	// look is called with each result that is read, before read is. False ends the search before it.
	look func(broker.StoredResult) (on bool)
	// read returns the entry of a result; is is false if it has none.
	read func(broker.StoredResult) (e E, is, on bool)
}

// back searches from the sequence below, 0 being the newest, down to floor, until a function of s
// returns false for on. Parts that the index has are not read again.
func (s indexedSearch[E]) back(ctx context.Context, results *broker.Results, floor, below uint64) error {
	first, end, err := results.Ends(ctx)
	if err != nil {
		return err
	}
	s.index.end(end)
	if below == 0 || below > end {
		below = end
	}
	floor = max(floor, first)
	for on := true; on && below > floor; {
		low, entries, known := s.index.below(below)
		if known {
			n, _ := slices.BinarySearchFunc(entries, floor-1, func(e E, at uint64) int { return descending(e.sequence(), at) })
			on, err = s.known(entries[:n])
		} else {
			on, err = s.readPart(ctx, results, max(low, floor), below)
		}
		if err != nil {
			return err
		}
		below = low
	}
	return nil
}

// readPart reads a part of the stream, and enters it in the index.
func (s indexedSearch[E]) readPart(ctx context.Context, results *broker.Results, low, below uint64) (on bool, err error) {
	var entries []E
	on = true
	err = results.BackwardsTo(ctx, low, below, func(stored broker.StoredResult) bool {
		if on = s.look(stored); !on {
			return false
		}
		var e E
		var is bool
		if e, is, on = s.read(stored); is {
			entries = append(entries, e)
		}
		return on
	}, func(from, to uint64) {
		entries = slices.DeleteFunc(entries, func(e E) bool { return e.sequence() < from })
		s.index.add(from, to, entries)
		entries = nil
	})
	return on, err
}
