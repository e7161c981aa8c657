package machine

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// What the machine knows of tasks: a task is a plan of a station that a task type made, of
// one occurrence. What is said of it beside its plan's state is its trace. Its status is
// package task's to tell.

// isTask reports that p is a task: a type has periodic plans too, and may have queues.
func (p *plan) isTask() bool {
	if p.inbox != nil || p.station.record == nil || p.station.record.TaskType == nil {
		return false
	}
	command, _ := wire.Trust(p.enc, p.raw).Field("command").Text()
	return command == schema.TaskCommand
}

// countFailure has the failure that x ends with counted among the errors of a task. Of a
// plan that is none nobody is told how many there were.
func (p *plan) countFailure(o *occurrence, x *execution) {
	if p.isTask() {
		o.countError(x)
	}
}

// trace is what a task is shown with beside the view of its plan.
func (m *Machine) trace(p *plan) *schema.TaskTrace {
	t := &schema.TaskTrace{Accepted: p.accepted.Time()}
	for _, o := range p.open {
		t.Errors, t.Lost, t.LastError = o.errors, o.lostAgents(), o.lastError
		for _, x := range o.live { // the newest is the last
			nonce := m.nonce(p, x.n)
			var hex [16]byte
			t.Exec, t.Sent, t.Deadline = schema.ExecName(x.n, string(nonce.AppendHex(hex[:0]))), x.sent.Time(), x.ends().Time()
		}
	}
	return t
}

// lostAgents counts those of o whose pings stopped, at all places of a crew together.
func (o *occurrence) lostAgents() int64 {
	n := o.lost
	for _, x := range o.live {
		n += x.lost
	}
	if o.crew != nil {
		for _, e := range o.crew.again {
			n += e.lost
		}
	}
	return n
}

// bad reports that an execution ended neither well nor because somebody wanted it to.
func (said *outcome) bad() bool {
	return said.state == schema.StateError || said.state == schema.StateTimeout || said.state == schema.StateFailure
}

// maxPlainError bounds what is kept of the last error of a plan that is no task, in bytes:
// it may have a hundred occurrences that wait for a retry, and the results of their errors
// have all of it.
const maxPlainError = 256

// lastErrorRoom is how much of an error's text is kept while its occurrence is open.
func (p *plan) lastErrorRoom() int {
	if p.isTask() {
		return schema.MaxErrorInfo
	}
	return maxPlainError
}

// asLastError is what is kept of a failure as long as its occurrence is open.
func (said *outcome) asLastError(most int, now unit.Moment) *schema.LastError {
	r := schema.Result{State: said.state, Reason: said.reason, Cause: said.cause, Error: said.error}
	e := &schema.LastError{Info: r.ErrorInfo(), ExecTime: said.sent.Time(), EndTime: now.Time()}
	if len(e.Info) > most {
		e.Info, e.Cut = strings.ToValidUTF8(e.Info[:most], ""), true
	}
	return e
}

// costOfLastError bounds what the last errors of a plan take in a result, and in the
// state, where each byte is one.
func (p *plan) costOfLastError() int {
	cost := 0
	for _, o := range p.open {
		if o.lastError != nil {
			cost += lastErrorFrame + 6*len(o.lastError.Info)
		}
	}
	return cost
}

// lastErrorFrame is what a LastError takes beside its text.
const lastErrorFrame = 128

// ends is when x ends if nothing is heard, none while nobody has it.
func (x *execution) ends() unit.Moment {
	if x.retry != 0 {
		return 0
	}
	return x.look()
}

// lookTask answers how a task stands.
func (t *turn) lookTask(name schema.PlanName) schema.TaskLook {
	called := t.plans[schema.CallbackPlanOf(name)]
	out := schema.TaskLook{Delivering: called != nil && !called.closing}
	if p := t.plans[name]; p != nil && p.isTask() {
		view := p.view(t.now)
		view.Trace = t.trace(p)
		out.Plan = &view
	}
	return out
}
