package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// pinged moves the ping deadline of x, and returns the interval at which its worker has to
// ping, in milliseconds; 0 if it need not.
func (t *Turn) pinged(p *state.Plan, x *state.Execution) int64 {
	terms := t.TermsOf(p)
	if t.AwaitPing(p, x, t.Now) {
		t.Touch(p)
	}
	if terms.PingInterval == 0 {
		return 0
	}
	return max(1, terms.PingInterval.Milliseconds())
}

// dismiss ends x, whose worker lost its right to run it, and other workers go on with the
// occurrence.
func dismiss(t *Turn, p *state.Plan, o *state.Occurrence, x *state.Execution) {
	x.Cut = true
	res := Outcome{State: schema.StateCancelled, worker: x.Worker}
	if p.Closing {
		t.GiveUp(p, o, x, res) // there are no others
		return
	}
	t.cancelWorker(p, o, x, "")
	t.end(p, o, x, res)
	o.Vacate(x, res.State, t.Now)
}
