package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// givenBack puts back an execution that its worker claimed and did not begin; false if another
// worker has claimed x since, because the reply is then a duplicate.
func (t *Turn) givenBack(p *state.Plan, o *state.Occurrence, x *state.Execution, worker string) bool {
	if worker != "" && worker != x.Worker {
		return false
	}
	t.PutBack(p, o, x)
	return true
}

// PutBack returns an execution without a worker to its occurrence, as if it had not been
// created. Its number is not reused, because notices carry it and the worker that returned it
// knows its nonce.
func (t *Turn) PutBack(p *state.Plan, o *state.Occurrence, x *state.Execution) {
	x.Misses, x.Retry = 0, 0
	o.Spent = o.Spent || x.N == o.Trigger
	o.Leave(x, t.Now)
	t.Changed(p)
	t.Touch(p)
}
