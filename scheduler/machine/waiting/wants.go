package waiting

import "github.com/stationmaster-io/stationmaster/scheduler/machine/unit"

// Wants are the queues that a plan belongs in, computed from the plan and its station's record,
// independently of other plans. The queues are set to them when a part of the plan has changed.
type Wants struct {
	Ends   unit.Moment // when an execution of it ends or is sent again; 0: never by itself
	Opens  unit.Moment // when its next occurrence is to be opened or skipped; 0: there is none, or it waits
	Starts unit.Moment // when an open occurrence may start, apart from its station; 0: none may

	Turn        bool      // an occurrence is due that its station may let start
	Claims      []Start   // occurrences that may be claimed by now
	Live        int64     // executions that its station counts as under way
	Undelivered []Awaited // the workers that it waits for because of no responders; the first arrival counts
}

// A Start is an open occurrence of a plan that may start.
type Start struct {
	Entry int         // its index in the plan's open occurrences
	At    unit.Moment // since when
}
