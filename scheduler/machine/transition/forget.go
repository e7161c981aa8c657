package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Forget removes p from the maps by name at once, and from the queues when the turn is kept.
func Forget(m *partition.Partition, p *state.Plan, now unit.Moment) {
	m.Exit(p)
	m.OnKeep(func() {
		partition.Clear(m, p)
		settleTurns(m, p, now)
		m.CountPlan(p, -1)
		m.Definitions.Forget(p)
		m.Calendars.Forget(p)
		delete(m.Restored, p)
		p.Station.Plans--
		m.DropStation(p.Station)
		m.Handles.TakeBack(p.Handle)
		p.Handle = 0
	})
}
