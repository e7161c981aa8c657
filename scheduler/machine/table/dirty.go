package table

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// DirtyRows is the queue of rows that the bucket does not have yet, in the order in
// which they first fell behind it. So its head says how far the journal has been
// taken, whatever is written in between.
type DirtyRows struct {
	unit.List[*state.DirtyRow]
	Quiet unit.Moment // how long a row rests before it is written
}

// Lead makes the queue a leader's: all in it is older than its first batch.
func (q *DirtyRows) Lead() {
	for e := q.Head; e != nil; e = e.Next {
		e.First = 0
	}
}
