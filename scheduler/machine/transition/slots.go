package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// done ends x with an ok, which settles its occurrence unless it needs more workers. A closed
// plan gets no more workers.
func (t *Turn) done(p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome) {
	if o.Succeed(x, p.Wants(), p.Closing) {
		t.Succeed(p, o, x.N, x.Attempt, res)
		return
	}
	res.State = schema.StateOK
	t.end(p, o, x, res)
}
