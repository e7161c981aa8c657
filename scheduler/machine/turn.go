package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A turn is one atomic change of a machine.
type turn struct {
	transition.Turn
	m  *Machine
	by unit.Moment // until when the asker of the command waits; 0: unknown
	// happened: the event has happened, and only claims are still to be served.
	happened bool
	answered []event.Asker // whose claims got executions
	full     bool          // an execution was not handed out, because b has no room for it
}

// requested is the request that the turn carries out, for as long as it has an effect.
func (t *turn) requested() state.Requested {
	return state.Requested{Since: t.Now, Attribution: t.Asked}
}

// turn returns the machine's turn, as of now. There is one, used again and again, because each
// execution takes several.
func (m *Machine) turn(now unit.Moment, b *batch.Batch) *turn {
	if m.under == nil {
		m.under = new(turn)
	}
	t := m.under
	transition.Renew(&t.Turn, &m.part, now, b)
	*t = turn{Turn: t.Turn, m: m}
	return t
}
