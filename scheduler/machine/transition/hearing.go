package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// awaitsWord reports that x, whose time was up at a moment, is not to end yet, since what
// was said up to then was not heard, or x has not left. Of a clock that was set back, what it
// showed before says nothing; and nobody has a word about what was under way in a backup.
func (t *Turn) awaitsWord(p *state.Plan, x *state.Execution, at unit.Moment) bool {
	if t.Now < t.Hearing.To {
		t.Hearing.To = 0
	}
	if x.Ordered <= t.Hearing.Done && (at <= t.Hearing.To || at <= t.Restored[p]) {
		return false
	}
	if x.Unheard != at {
		x.Unheard = at
		t.Hearing.Waiting = append(t.Hearing.Waiting, p)
	}
	return true
}
