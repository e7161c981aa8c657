package machine

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

// trace is the part of a task's answer beside the view of its plan.
func (m *Machine) trace(p *state.Plan) *command.TaskTrace {
	t := &command.TaskTrace{Accepted: p.Accepted.Time()}
	for _, o := range p.Open {
		t.Errors, t.Lost, t.LastError = o.Errors, o.LostWorkers(), o.LastError
		for _, x := range o.Live { // the newest is the last
			nonce := m.part.Nonce(p, x.N)
			var hex [16]byte
			t.Exec, t.Sent, t.Deadline = schema.ExecName(x.N, string(nonce.AppendHex(hex[:0]))), x.Sent.Time(), x.Ends().Time()
		}
	}
	return t
}

// showTask answers with the standing of a task.
func showTask(t *turn, c command.GetTask) (command.TaskView, error) { return t.viewTask(c.Name), nil }

// viewTask returns the standing of a task, or that there is none.
func (t *turn) viewTask(name schema.PlanName) command.TaskView {
	called := t.Plans[schema.CallbackPlanOf(name)]
	out := command.TaskView{Delivering: called != nil && !called.Closing}
	if p := t.Plans[name]; p != nil && p.IsTask() {
		shown := view.Plan(p, t.Now)
		shown.Trace = t.m.trace(p)
		out.Plan = &shown
	}
	return out
}
