package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
)

// A holding bounds the backlog of results that are not stored. Each result comes from an execution
// that began, so nothing begins during a hold, whether caused by a timer, a reply, a retry, a
// grant, a claim or a request. Executions under way go on and end; deadlines count, and plans are
// managed. So a plan has two moments during a hold: the timer queue has the moment at which a part
// of it ends, and starts has the moment at which one is to begin, where it stays due.
//
//	on    timers     ──▶ look: ends
//	      starts         (not looked at)
//	off   timers     ──▶ look    ◀── starts, whichever is first
//
// It belongs to a leader and is in no row, because a new leader finds the same plans due.
type holding struct {
	On     bool
	Starts waiting.TimerQueue // plans that wait for the end of a hold
}

// An execution ends at its deadline only after all replies sent up to then have been stepped,
// because its worker's reply may have come in time and lie unread. Nor does it end before it
// has been sent, because the append that it waits for may take longer than its timeout. Only
// such executions wait, and the decisions of their plans that depend on them; everything else
// due goes on.

// replyWait is how far replies have been stepped, and the plans that wait for it.
type replyWait struct {
	To      unit.Moment   // all replies sent up to here were stepped
	Done    uint64        // all batches up to this one were performed
	Waiting []*state.Plan // plans of the waiting executions
	Over    []*state.Plan // plans to look at because their wait is over
}
