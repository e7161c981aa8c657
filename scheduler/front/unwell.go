package front

import (
	"context"
	"slices"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// mostUnwell bounds the index of results that did not go well, at four megabytes.
	mostUnwell = 500_000
	// readAtOnce is how many results a search reads by their sequences at a time.
	readAtOnce = 100
)

// An unwellResult is the sequence of a result that did not go well.
type unwellResult uint64

func (u unwellResult) sequence() uint64 { return uint64(u) }

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

// unwellBack calls take with the results that did not go well, from the sequence below, 0 being the
// newest, down to floor, the newest first, and look with each result that it reads, until one of them
// returns false.
func (f *Front) unwellBack(ctx context.Context, floor, below uint64, look, take func(broker.StoredResult) bool) error {
	results := f.config.Store.Results()
	return indexedSearch[unwellResult]{
		index: &f.unwell,
		known: func(places []unwellResult) (on bool, err error) {
			return eachStored(ctx, results, places, func(s broker.StoredResult) bool { return look(s) && take(s) })
		},
		look: look,
		read: func(s broker.StoredResult) (place unwellResult, is, on bool) {
			if v, ok := scanResult(s); !ok || !unwell(runOf(v)) {
				return 0, false, true
			}
			return unwellResult(s.Seq), true, take(s)
		},
	}.back(ctx, results, floor, below)
}

// eachStored calls take with the results of entries; it returns false if take did.
func eachStored[E entry](ctx context.Context, results *broker.Results, entries []E, take func(broker.StoredResult) bool) (on bool, err error) {
	for chunk := range slices.Chunk(entries, readAtOnce) {
		sequences := make([]uint64, len(chunk))
		for i, e := range chunk {
			sequences[i] = e.sequence()
		}
		kept, err := results.These(ctx, sequences)
		if err != nil {
			return false, err
		}
		for _, s := range kept {
			if !take(s) {
				return false, nil
			}
		}
	}
	return true, nil
}
