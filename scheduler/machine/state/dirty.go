package state

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A DirtyRow is the place of one row in the queue of those that the bucket lacks: a plan (its
// definition and its state), a plan that is gone, a station, or a calendar.
type DirtyRow struct {
	// First is the batch since which the bucket is behind; while following, the
	// append that changed the row last.
	First   uint64
	Changed unit.Moment
	P       *Plan
	S       *Station
	C       *Calendar
	Gone    bool
	unit.Neighbours[*DirtyRow]
}
