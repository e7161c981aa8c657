package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Begun returns the executions that the row r of a state began in its append, which are those
// that the row before, the previous one of its plan, lacks. The leader that appended the row has
// to send them to workers. An empty before is replaced by the row in the table. An invalid row
// begins none.
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
