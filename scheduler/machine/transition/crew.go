package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// done ends x with an ok, which settles its occurrence unless more workers are wanted.
// Of a plan that was closed nobody comes any more.
func (t *Turn) done(p *state.Plan, o *state.Occurrence, x *state.Execution, said Outcome) {
	if o.Slots == nil {
		t.Succeed(p, o, x.N, x.Attempt, said)
		return
	}
	o.Slots.Done = append(o.Slots.Done, state.Slot{N: x.N, Attempt: x.Attempt, State: schema.StateOK, Worker: x.Worker})
	if int64(len(o.Slots.Done)) >= p.Wants() || p.Closing && len(o.Live) == 1 {
		t.Succeed(p, o, x.N, x.Attempt, said)
		return
	}
	said.State = schema.StateOK
	t.end(p, o, x, said)
}
