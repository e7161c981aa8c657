package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// awaitsReply reports that x, whose deadline was at a moment, may not end yet, because the
// replies sent up to that moment have not all been stepped, or because x has not been sent.
// After the clock was set back its earlier readings count for nothing; and the executions of a
// backup get no reply.
func (t *Turn) awaitsReply(p *state.Plan, x *state.Execution, at unit.Moment) bool {
	if t.Now < t.ReplyWait.To {
		t.ReplyWait.To = 0
	}
	if x.Ordered <= t.ReplyWait.Done && (at <= t.ReplyWait.To || at <= t.Restored[p]) {
		return false
	}
	if x.HeldDeadline != at {
		x.HeldDeadline = at
		t.ReplyWait.Waiting = append(t.ReplyWait.Waiting, p)
	}
	return true
}
