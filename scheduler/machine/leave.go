package machine

import (
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// What a leader orders leaves when it is durable, and an append may take seconds. The time
// that a worker has counts from when its execution leaves: one that was late is told later
// times, and its row follows. Until it has left it does not time out (hearing.go).

// untilLeft is an order that no batch has: what is done with it is told by a Left.
const untilLeft = math.MaxUint64

// order has x, which goes out so, leave with the batch. Its items may have to be read back first.
func (t *turn) order(x *state.Execution, out *Outgoing) {
	x.Ordered = t.b.Number
	if out.Items > 0 {
		x.Ordered = untilLeft
	}
	out.Order = x.Ordered
}

// A tenth of the time that a worker has may pass before what it gets leaves. More is told,
// and costs a row.
const tardy = 10

// Leave is to be called as x leaves, before anything of it is written: where that is so late
// that it takes from the time of its worker, the times which x tells are put off by as much.
// The machine wants to hear of it when tell is true, from whoever steps it, before it is told
// that the batch was performed.
func (x *Outgoing) Leave(now time.Time) (left Left, tell bool) {
	left = x.NotSent()
	if late := now.Sub(x.Sent).Truncate(time.Microsecond); x.Within > 0 && late > x.Within/tardy {
		x.StartBy, x.Deadline = later(x.StartBy, late), later(x.Deadline, late)
		tell = true
	}
	left.StartBy, left.Deadline = x.StartBy, x.Deadline
	return left, tell || x.Order == untilLeft
}

// NotSent is what the machine is to hear of x when it does not leave.
func (x *Outgoing) NotSent() Left {
	return Left{Name: x.Name, Incarnation: x.Incarnation, N: x.N, Order: x.Order}
}

// later is a time that is put off; none stays none.
func later(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// left takes in when an execution has left. What its worker was told goes into its row, or a
// successor would end it sooner.
func (t *turn) left(ev Left) {
	p := t.plans[ev.Name]
	if p == nil || p.Incarnation != ev.Incarnation {
		return
	}
	t.at(p)
	_, x := p.Find(ev.N)
	if x == nil || x.Ordered != 0 && x.Ordered != ev.Order {
		return // it has ended, or was ordered once more
	}
	x.Ordered = 0
	startBy := x.StartBy.PutOff(unit.MomentOf(ev.StartBy))
	if deadline := x.Deadline.PutOff(unit.MomentOf(ev.Deadline)); startBy || deadline {
		t.touch(p)
	}
	if x.PingBy.PutOff(t.now.After(t.termsOf(p).PingTimeout)) || startBy {
		t.timetable.Set(p.Handle, t.now)
	}
}
