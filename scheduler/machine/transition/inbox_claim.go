package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// unlock ends a claim whose deadline has passed, so that its items are handed over again.
func (t *Turn) unlock(p *state.Plan, o *state.Occurrence, x *state.Execution) {
	t.GiveUp(p, o, x, Outcome{State: schema.StateTimeout, Reason: schema.ReasonExec, Silent: true})
}
