package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
)

// A holding is what bounds the results that are behind. Each result is of something that
// began, so nothing begins while they are too many, whatever would have had it begin: the
// timetable, a reply, a retry, a turn in line, a claim, a request. What is under way goes on
// and ends; deadlines count, and plans are managed. So a plan has two moments then: that at
// which something of it ends stands in the timetable, and that at which something is to
// begin in starts, where it stays due.
//
//	on    timetable  ──▶ look: what ends
//	      starts         (nobody looks)
//	off   timetable  ──▶ look    ◀── starts, whichever is first
//
// It is a leader's own, and in no row: its successor finds the same plans due.
type holding struct {
	On     bool
	Starts waiting.Timetable // of those that had to wait for the end of a hold
}

// An execution whose time is up ends when what was said by then has been heard: its
// worker's answer may have come in time, and lie unread. Nor does it end before it has left:
// the append that it waits for may take longer than it has. Only such executions wait, and
// what their plans have to judge by them; whatever else is due goes on.

// hearing is what the machine knows of what it was told, and what waits for that.
type hearing struct {
	To      unit.Moment   // all that was said up to here was stepped
	Done    uint64        // all batches up to this one were performed
	Waiting []*state.Plan // of the executions that wait
	Heard   []*state.Plan // that are to be looked at since they waited
}
