package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Forget takes p out of the table.
func Forget(m *partition.Partition, p *state.Plan, now unit.Moment) {
	p.Removed = true
	partition.Clear(m, p)
	settleTurns(m, p, now)
	delete(m.Plans, p.Name)
	if m.InboxPlans[p.Name.PlanID] == p {
		delete(m.InboxPlans, p.Name.PlanID)
	}
	m.Sorted.Delete(p)
	m.CountPlan(p, -1)
	m.Definitions.Forget(p)
	delete(m.Restored, p)
	p.Station.Plans--
	m.DropStation(p.Station)
	m.Handles.TakeBack(p.Handle)
	p.Handle = 0
}
