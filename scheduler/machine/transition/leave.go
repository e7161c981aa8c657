package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Order has x, sent as out, leave with the batch. Its items may have to be read back first.
func (t *Turn) Order(x *state.Execution, out *event.Outgoing) {
	x.Ordered = t.Batch.Number
	if out.Items > 0 {
		x.Ordered = event.UntilLeft
	}
	out.Order = x.Ordered
}

// Left notes the moment at which an execution was sent. The deadlines that its worker received
// go into its row, because a new leader would otherwise end it sooner.
func (t *Turn) Left(ev event.Left) {
	p := t.Plans[ev.Name]
	if p == nil || p.Incarnation != ev.Incarnation {
		return
	}
	t.At(p)
	_, x := p.Find(ev.N)
	if x == nil || x.Ordered != 0 && x.Ordered != ev.Order {
		return // it has ended, or was sent once more
	}
	x.Ordered = 0
	t.Changed(p)
	startBy := x.StartBy.PutOff(unit.MomentOf(ev.StartBy))
	if deadline := x.Deadline.PutOff(unit.MomentOf(ev.Deadline)); startBy || deadline {
		t.Touch(p)
	}
	if x.PingBy.PutOff(t.Now.After(t.TermsOf(p).PingTimeout)) || startBy {
		t.EvaluateLater(p)
	}
}
