package front

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A runIndex has the places of the stored results that did not go well, of the parts of the stream that
// searches have read. A stored result never changes, so a part that was read once is not read again: a
// later search goes from one place to the next. It is in memory, because it costs a few seconds to make
// anew, while an index on the disk would have to be written with each such result. It is safe for
// concurrent use. The zero value is empty.
type runIndex struct {
	mu    sync.Mutex
	parts []readPart // from the end of the stream to its beginning; between two of them is a gap
}

const (
	// mostPlaces and mostParts bound a runIndex, at four megabytes. The oldest are dropped.
	mostPlaces = 500_000
	mostParts  = 1_000
	// placesAtOnce is how many places a search reads at a time.
	placesAtOnce = 100
)

// A readPart is a part of the stream that was read, from the sequence low up to, not including, high.
type readPart struct {
	low, high uint64
	places    []uint64 // of those that did not go well, the highest first
}

// unwell reports that a run did not go well, because it failed, or its occurrence was missed.
// Every filter that an index serves wants such runs alone.
func unwell(one run) bool { return failed(one) || troubles(one) }

// wantsUnwell reports that only runs that did not go well match.
func wantsUnwell(q *schema.ListRuns) bool {
	switch q.State {
	case schema.StateError, schema.StateFailure, schema.StateTimeout:
		return true
	default:
		return q.Failed || q.Trouble
	}
}

// below returns the beginning of the part that ends at a sequence or goes on behind it, and its places
// below that sequence. If none does, known is false, and low is the end of the next part.
func (x *runIndex) below(at uint64) (low uint64, places []uint64, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.parts {
		switch {
		case p.high < at:
			return p.high, nil, false
		case p.low < at:
			from, _ := slices.BinarySearchFunc(p.places, at-1, descending)
			return p.low, p.places[from:], true
		}
	}
	return 0, nil, false
}

// add enters a part that was read, with the places in it, the highest first. The lists of places
// that below has returned do not change.
func (x *runIndex) add(low, high uint64, places []uint64) {
	if low >= high {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	from, _ := slices.BinarySearchFunc(x.parts, high, func(p readPart, high uint64) int { return descending(p.low, high) })
	to, all := from, readPart{low: low, high: high}
	for ; to < len(x.parts) && x.parts[to].high >= low; to++ { // those that touch it
		all.low, all.high = min(all.low, x.parts[to].low), max(all.high, x.parts[to].high)
		all.places = append(all.places, x.parts[to].places...)
	}
	all.places = mergePlaces(all.places, places)
	x.parts = slices.Replace(x.parts, from, to, all)
	x.shrink()
}

func descending(a, b uint64) int { return cmp.Compare(b, a) }

// mergePlaces returns the places of two lists, the highest first, without doubles.
func mergePlaces(a, b []uint64) []uint64 {
	all := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch next := max(a[0], b[0]); {
		case a[0] == b[0]:
			a = a[1:]
		case a[0] == next:
			all, a = append(all, next), a[1:]
		default:
			all, b = append(all, next), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// shrink drops the oldest parts and places beyond the bounds.
func (x *runIndex) shrink() {
	if len(x.parts) > mostParts {
		x.parts = slices.Delete(x.parts, mostParts, len(x.parts))
	}
	places := 0
	for i := range x.parts {
		p := &x.parts[i]
		if room := mostPlaces - places; len(p.places) > room {
			p.low, p.places = p.places[room]+1, p.places[:room]
			x.parts = slices.Delete(x.parts, i+1, len(x.parts))
		}
		if places += len(p.places); len(x.parts) == i+1 {
			break
		}
	}
}

// end notes where the stream ends. One that ends before a part is another stream.
func (x *runIndex) end(at uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.parts) > 0 && x.parts[0].high > at {
		x.parts = nil
	}
}

// unwellBack calls take with the results that did not go well, from the sequence below, 0 being the
// newest, down to floor, the newest first, and look with each result that it reads, until one of them
// returns false. Parts that the index has are not read again.
func (f *Front) unwellBack(ctx context.Context, floor, below uint64, look, take func(broker.StoredResult) bool) error {
	results := f.config.Store.Results()
	first, end, err := results.Ends(ctx)
	if err != nil {
		return err
	}
	f.unwell.end(end)
	if below == 0 || below > end {
		below = end
	}
	floor = max(floor, first)
	for on := true; on && below > floor; {
		low, places, known := f.unwell.below(below)
		if known {
			on, err = eachPlace(ctx, results, places, floor, func(s broker.StoredResult) bool { return look(s) && take(s) })
		} else {
			on, err = f.readUnwell(ctx, max(low, floor), below, look, take)
		}
		if err != nil {
			return err
		}
		below = low
	}
	return nil
}

// eachPlace calls take with the results of places that are not below floor; it returns false if take did.
func eachPlace(ctx context.Context, results *broker.Results, places []uint64, floor uint64, take func(broker.StoredResult) bool) (on bool, err error) {
	for chunk := range slices.Chunk(places, placesAtOnce) {
		if chunk[0] < floor {
			return true, nil
		}
		kept, err := results.These(ctx, chunk)
		if err != nil {
			return false, err
		}
		for _, s := range kept {
			if s.Seq >= floor && !take(s) {
				return false, nil
			}
		}
	}
	return true, nil
}

// readUnwell reads a part of the stream, and enters it in the index.
func (f *Front) readUnwell(ctx context.Context, low, below uint64, look, take func(broker.StoredResult) bool) (on bool, err error) {
	var places []uint64
	on = true
	err = f.config.Store.Results().BackwardsTo(ctx, low, below, func(s broker.StoredResult) bool {
		if on = look(s); !on {
			return false
		}
		if v, is := scanResult(s); is && unwell(runOf(v)) {
			places = append(places, s.Seq)
			on = take(s)
		}
		return on
	}, func(from, to uint64) {
		places = slices.DeleteFunc(places, func(place uint64) bool { return place < from })
		f.unwell.add(from, to, places)
		places = nil
	})
	return on, err
}
