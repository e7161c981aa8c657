package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Begun returns the executions that a row of state, as it comes behind before, says were begun
// in its append: those of which before knows nothing, and that are to be sent to workers by
// the leader that appended it. An empty before is what the table has. A row that makes no
// sense begins nothing.
func (m *Machine) Begun(before []byte, r event.Row) []event.Unsent {
	if r.Kind != event.RowState {
		return nil
	}
	after, err := state.ParseState(r.Value)
	if err != nil {
		return nil
	}
	var was state.Record
	if len(before) > 0 {
		if was, err = state.ParseState(before); err != nil {
			return nil
		}
	} else if p := m.part.Plans[r.Name]; p != nil {
		was = p.Record
	}
	var begun []event.Unsent
	for _, o := range after.Open {
		for _, x := range o.Live {
			known := was.Incarnation == after.Incarnation && slices.ContainsFunc(was.Open, func(o *state.Occurrence) bool { return o.Knows(x.N) })
			if x.State == schema.StateDispatched && !x.Claimed && !x.Pub && !known {
				begun = append(begun, event.Unsent{Name: r.Name, Incarnation: after.Incarnation, N: x.N})
			}
		}
	}
	return begun
}
