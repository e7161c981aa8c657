package machine

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// trace is what a task is shown with beside the view of its plan.
func (m *Machine) trace(p *state.Plan) *schema.TaskTrace {
	t := &schema.TaskTrace{Accepted: p.Accepted.Time()}
	for _, o := range p.Open {
		t.Errors, t.Lost, t.LastError = o.Errors, o.LostAgents(), o.LastError
		for _, x := range o.Live { // the newest is the last
			nonce := m.nonce(p, x.N)
			var hex [16]byte
			t.Exec, t.Sent, t.Deadline = schema.ExecName(x.N, string(nonce.AppendHex(hex[:0]))), x.Sent.Time(), x.Ends().Time()
		}
	}
	return t
}

// bad reports that an execution ended neither well nor because somebody wanted it to.
func (said *outcome) bad() bool {
	return said.state == schema.StateError || said.state == schema.StateTimeout || said.state == schema.StateFailure
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

// lookTask answers how a task stands.
func (t *turn) lookTask(name schema.PlanName) schema.TaskLook {
	called := t.plans[schema.CallbackPlanOf(name)]
	out := schema.TaskLook{Delivering: called != nil && !called.Closing}
	if p := t.plans[name]; p != nil && p.IsTask() {
		view := p.View(t.now)
		view.Trace = t.m.trace(p)
		out.Plan = &view
	}
	return out
}
