package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// NextDue returns the plan to look at next and when; nil if there is none.
func NextDue(m *partition.Partition) (*state.Plan, unit.Moment) {
	at := m.TimerQueue.Next()
	if since := m.Holding.Starts.Next(); !m.Holding.On && since != 0 && (at == 0 || since <= at) {
		return m.Handles.Of(m.Holding.Starts.First()), since
	}
	if at == 0 {
		return nil, 0
	}
	return m.Handles.Of(m.TimerQueue.First()), at
}

// OpenHeld opens the due occurrences of p that would be open without the hold. They have not
// begun, but a request that changes the plan may lose them as little as occurrences that have. Those
// before them that calendars exclude are skipped.
func (t *Turn) OpenHeld(p *state.Plan) {
	for p.Weight() < state.MaxOpen {
		if at := admission.NextTurn(t.Partition, p); at == 0 || at > t.Now {
			return
		}
		if p.ExcludesNext() {
			SkipExcluded(t, p, (t.Now + 1).Time())
			continue
		}
		if admission.VerdictOn(t.Partition, p).Do != admission.Start {
			return
		}
		d, ok := t.choose(p, unit.DueMoment(p.Next.At))
		if !ok {
			return
		}
		t.Open(p, d)
	}
}
