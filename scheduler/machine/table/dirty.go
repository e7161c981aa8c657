package table

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// DirtyRows is the queue of rows that the bucket lacks, in the order in which they first became
// dirty, so that its head shows up to where the journal has been stored, also while later rows
// are written before earlier ones.
type DirtyRows struct {
	unit.List[*state.DirtyRow]
	Quiet unit.Moment // how long a row is unchanged before it is written
}

// Lead marks all rows in the queue as older than a new leader's first batch.
func (q *DirtyRows) Lead() {
	for e := q.Head; e != nil; e = e.Next {
		e.First = 0
	}
}
