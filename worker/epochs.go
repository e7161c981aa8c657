package worker

import "sync"

// epochs remembers the highest epoch that was seen of each partition. A leader
// that was deposed while it slept may still publish what it had decided; its
// successor has adopted that execution or settled it.
type epochs struct {
	mu      sync.Mutex
	highest map[int]int64 // at most maxPartitions
}

// see takes note of an epoch and returns the highest one of the partition.
func (e *epochs) see(partition int, epoch int64) (highest int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	highest, known := e.highest[partition]
	if known && epoch <= highest {
		return highest
	}
	if e.highest == nil {
		e.highest = make(map[int]int64)
	}
	e.highest[partition] = epoch
	return epoch
}
