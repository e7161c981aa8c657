package worker

import (
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// epochs remembers the highest epoch that was seen of each partition. A leader
// that was deposed while it slept may still publish its last decisions; its
// successor has adopted that execution or settled it.
//
// A worker sends them to schedulers, too, because one that does not know them leads with an
// older store. The epoch before counts as well, because the first execution of that leader may
// have come before the worker's next presence.
type epochs struct {
	mu   sync.Mutex
	seen map[int]schema.SeenEpochs // at most maxPartitions
}

// see takes note of an epoch and returns the highest one of the partition; 0 when there is none. An
// epoch that is too far ahead does not count, because a single forged message would have the worker
// drop all executions from then on.
func (e *epochs) see(partition int, epoch int64) (highest int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known, seen := e.seen[partition]
	if seen && epoch <= known.Epoch || schema.IsEpochAhead(epoch, time.Now()) {
		return known.Epoch
	}
	if e.seen == nil {
		e.seen = make(map[int]schema.SeenEpochs)
	}
	e.seen[partition] = schema.SeenEpochs{Partition: partition, Epoch: epoch, Before: known.Epoch}
	return epoch
}

// some returns the epochs of as many partitions as one message may name, in random order, so
// that each has its turn.
func (e *epochs) some() (some []schema.SeenEpochs) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, seen := range e.seen {
		if some = append(some, seen); len(some) == schema.MaxSeenEpochs {
			break
		}
	}
	return some
}
