package machine

import (
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// What the machine knows of tasks: a task is a plan of a station that a task type made
// (DESIGN section 9), of one occurrence. What is said of it beside its plan's state is
// its trace. Its status is package task's to tell.

// isTask reports that p is a task: a type has periodic plans too.
func (p *plan) isTask() bool {
	if p.station.record == nil || p.station.record.TaskType == nil {
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
	t := &schema.TaskTrace{Accepted: p.accepted.time()}
	for _, o := range p.open {
		t.Errors = max(t.Errors, o.errors)
		for _, x := range o.live { // the newest is the last
			nonce := m.nonce(p, x.n)
			var hex [16]byte
			t.Exec, t.Sent, t.Deadline = schema.ExecName(x.n, string(nonce.AppendHex(hex[:0]))), x.sent.time(), x.ends().time()
		}
	}
	return t
}

// ends is when x ends if nothing is heard, none while nobody has it.
func (x *execution) ends() moment {
	if x.retry != 0 {
		return 0
	}
	return x.look()
}

// lookTask answers how a task stands.
func (m *Machine) lookTask(name schema.PlanName, now moment) schema.TaskLook {
	called := m.plans[schema.CallbackPlanOf(name)]
	out := schema.TaskLook{Delivering: called != nil && !called.closing}
	if p := m.plans[name]; p != nil && p.isTask() {
		view := p.view(now)
		view.Trace = m.trace(p)
		out.Plan = &view
	}
	return out
}
