package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// givenBack puts back what its worker has claimed and not begun; false: x is another
// worker's by now, and the word a repeated one.
func (t *Turn) givenBack(p *state.Plan, o *state.Occurrence, x *state.Execution, worker string) bool {
	if worker != "" && worker != x.Worker {
		return false
	}
	t.PutBack(p, o, x)
	return true
}

// PutBack takes back an execution that nobody has, as if it had not been made. But its
// number is not given again: events have told of it, and who gave it back knows its nonce.
func (t *Turn) PutBack(p *state.Plan, o *state.Occurrence, x *state.Execution) {
	x.Misses, x.Retry = 0, 0
	o.Spent = o.Spent || x.N == o.Trigger
	o.Leave(x, t.Now)
	t.Changed(p)
	t.Touch(p)
}
