package waiting

import (
	"iter"
	"slices"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Held are the plans with executions at a worker, by the worker, because a request may not go through all
// plans to see those of one. The zero value is empty.
type Held struct {
	pairs *btree.BTreeG[holding]
	by    map[unit.Handle][]string // the workers of a plan, in the order of its executions
}

type holding struct {
	worker string
	h      unit.Handle
}

// Set has the executions of a plan be at these workers; it keeps no part of them.
func (b *Held) Set(h unit.Handle, workers []string) {
	if len(workers) == 0 && len(b.by) == 0 || b.Has(h, workers) {
		return
	}
	if b.by == nil {
		before := func(a, b holding) bool { return a.worker < b.worker || a.worker == b.worker && a.h < b.h }
		b.by, b.pairs = map[unit.Handle][]string{}, btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})
	}
	for _, w := range b.by[h] {
		b.pairs.Delete(holding{w, h})
	}
	if len(workers) == 0 {
		delete(b.by, h)
		return
	}
	b.by[h] = append(b.by[h][:0], workers...)
	for _, w := range workers {
		b.pairs.Set(holding{w, h})
	}
}

// Has reports that the executions of a plan are at exactly these workers.
func (b *Held) Has(h unit.Handle, workers []string) bool { return slices.Equal(b.by[h], workers) }

// At yields the plans with executions at a worker.
func (b *Held) At(worker string) iter.Seq[unit.Handle] {
	return func(yield func(unit.Handle) bool) {
		if b.pairs == nil {
			return
		}
		b.pairs.Ascend(holding{worker: worker}, func(p holding) bool { return p.worker == worker && yield(p.h) })
	}
}
