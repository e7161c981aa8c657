package admission

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// CapacityFor is the capacity of p's station for one more occurrence. The plan's policy decides
// whether it is skipped, then the station's; parallel of a plan lifts only the plan's own
// limit. An occurrence that follows the one before waits in any case, because after a skip the
// next would be due in the same moment, and so on without end.
func CapacityFor(m *partition.Partition, p *state.Plan, t *schema.Terms) Capacity {
	s := p.Station
	switch {
	case m.Limit(s) == 0:
		return roomy
	case t.Concurrency == schema.FullSkip && !p.Schedule.Continuous() && !m.HasTurns(s):
		return Full
	case s.IsPull():
		return roomy // it waits to be claimed
	case len(p.Open) > 0 && p.IsInLine() || p.JustOpened():
		return InLine
	default:
		return roomy
	}
}

// WantsTurn reports that p would dispatch an execution now if its station let it.
func WantsTurn(m *partition.Partition, p *state.Plan, now unit.Moment) bool {
	if p.Station.IsPull() {
		return false
	}
	for _, o := range p.Open {
		if causeInPlan(m, p, o, p.StartsAt(o), now) == free {
			return true
		}
	}
	return false
}
