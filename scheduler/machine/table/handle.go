package table

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Handles are those that are given, and by whom to find a plan.
type Handles struct {
	Plans []*state.Plan // by handle; nil: nobody has it
	free  []unit.Handle
}

// Give returns a handle for p: the one that was given back last, or a new one.
func (hs *Handles) Give(p *state.Plan) unit.Handle {
	if last := len(hs.free) - 1; last >= 0 {
		h := hs.free[last]
		hs.free = hs.free[:last]
		hs.Plans[h] = p
		return h
	}
	if len(hs.Plans) == 0 {
		hs.Plans = append(hs.Plans, nil) // zero is none
	}
	hs.Plans = append(hs.Plans, p)
	return unit.Handle(len(hs.Plans) - 1)
}

// TakeBack has nobody called h any more.
func (hs *Handles) TakeBack(h unit.Handle) {
	hs.Plans[h] = nil
	hs.free = append(hs.free, h)
}

func (hs *Handles) Of(h unit.Handle) *state.Plan { return hs.Plans[h] }

// ByName is the order of two plans by their names.
func (hs *Handles) ByName(a, b unit.Handle) bool { return state.ByName(hs.Plans[a], hs.Plans[b]) }
