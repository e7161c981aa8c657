package waiting

import "github.com/stationmaster-io/stationmaster/scheduler/machine/unit"

// Wants are what a plan waits for, as follows from the plan and its station's record, whoever
// else waits. The queues are set to it when something of the plan has changed.
type Wants struct {
	Ends   unit.Moment // when something of it ends, or is sent again; none: nothing by itself
	Opens  unit.Moment // when its next occurrence is to be opened or skipped; none: it has none, or that waits
	Starts unit.Moment // when an occurrence that is open may start, but for its station; none: none may

	Turn        bool      // the time of one has come that its station may let start
	Claims      []Start   // those that may be claimed by now
	Live        int64     // executions that its station counts as under way
	Undelivered []Awaited // who is awaited since an execution reached nobody: the first that comes
}

// A Start is an open occurrence of a plan that may start.
type Start struct {
	Place int         // among those that are open
	At    unit.Moment // since when
}
