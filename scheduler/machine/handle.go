package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// handles are those that are given, and by whom to find a plan.
type handles struct {
	plans []*state.Plan // by handle; nil: nobody has it
	free  []unit.Handle
}

// give returns a handle for p: the one that was given back last, or a new one.
func (hs *handles) give(p *state.Plan) unit.Handle {
	if last := len(hs.free) - 1; last >= 0 {
		h := hs.free[last]
		hs.free = hs.free[:last]
		hs.plans[h] = p
		return h
	}
	if len(hs.plans) == 0 {
		hs.plans = append(hs.plans, nil) // zero is none
	}
	hs.plans = append(hs.plans, p)
	return unit.Handle(len(hs.plans) - 1)
}

// takeBack has nobody called h any more.
func (hs *handles) takeBack(h unit.Handle) {
	hs.plans[h] = nil
	hs.free = append(hs.free, h)
}

func (hs *handles) plan(h unit.Handle) *state.Plan { return hs.plans[h] }

// byName is the order of two plans by their names.
func (hs *handles) byName(a, b unit.Handle) bool { return state.ByName(hs.plans[a], hs.plans[b]) }
