package table

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Handles are the handles in use, with the plan of each.
type Handles struct {
	Plans []*state.Plan // by handle; nil: free
	free  []unit.Handle
}

// Give returns a handle for p: the one that was returned last, or a new one.
func (hs *Handles) Give(p *state.Plan) unit.Handle {
	if last := len(hs.free) - 1; last >= 0 {
		h := hs.free[last]
		hs.free = hs.free[:last]
		hs.Plans[h] = p
		return h
	}
	if len(hs.Plans) == 0 {
		hs.Plans = append(hs.Plans, nil) // because handle 0 means none
	}
	hs.Plans = append(hs.Plans, p)
	return unit.Handle(len(hs.Plans) - 1)
}

// TakeBack frees h.
func (hs *Handles) TakeBack(h unit.Handle) {
	hs.Plans[h] = nil
	hs.free = append(hs.free, h)
}

// Of returns the plan of h, nil if h is free.
func (hs *Handles) Of(h unit.Handle) *state.Plan { return hs.Plans[h] }

// ByName orders two plans by their names.
func (hs *Handles) ByName(a, b unit.Handle) bool { return state.ByName(hs.Plans[a], hs.Plans[b]) }
