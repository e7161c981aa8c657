package worker

import (
	"sync"
	"time"
)

// clocksApart is how far the clock of a leader may be ahead of ours for its epochs to
// count, which begin at the time in milliseconds. A later one is nobody's that ever
// took over, or that of a machine whose clock is wrong: if it counted, a single message
// that somebody made up would have us drop everything from then on.
const clocksApart = time.Minute

// epochs remembers the highest epoch that was seen of each partition. A leader
// that was deposed while it slept may still publish what it had decided; its
// successor has adopted that execution or settled it.
type epochs struct {
	mu      sync.Mutex
	highest map[int]int64 // at most maxPartitions
}

// see takes note of an epoch and returns the highest one of the partition, as far as they
// count by the clock, which is read for one that is not known only; 0 when there is none.
func (e *epochs) see(partition int, epoch int64, clock func() time.Time) (highest int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	highest, known := e.highest[partition]
	if known && epoch <= highest || epoch > clock().Add(clocksApart).UnixMilli() {
		return highest
	}
	if e.highest == nil {
		e.highest = make(map[int]int64)
	}
	e.highest[partition] = epoch
	return epoch
}
