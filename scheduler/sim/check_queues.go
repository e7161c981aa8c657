package sim

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// audit holds the queues of the machine against a computation from nothing, after a step.
func audit(l *leader, ev event.Event) {
	if differ := l.m.Audit(l.clock()); len(differ) > 0 {
		l.w.fail("epoch %d: after %T plans wait for something else than what follows from them: %v", l.epoch, ev, differ)
	}
	if _, counts := l.m.Stats(); counts.Differences > 0 {
		l.w.fail("epoch %d: after %T %d plans were put right", l.epoch, ev, counts.Differences)
	}
}

// unsettle has the stations' records be others for a moment, and no queue set for it.
func unsettle(l *leader) {
	if !l.w.planted(Unsettled) {
		return
	}
	count := func(s schema.Station) {
		value, err := wire.Marshal(wire.JSON, s)
		if err == nil {
			l.w.mishaps.spared = true
			err = l.m.ReplayBucket(storage.StationKey(s.Station), value)
			l.w.mishaps.spared = false
		}
		if err != nil {
			l.w.fail("a station cannot be read: %v", err)
		}
	}
	for _, s := range askMachine(l.w, l.m, l.clock(), command.ListStations{Limit: 1000}).(command.StationSlice).Stations {
		other := s
		other.Overlap = schema.BusyAllow
		count(other)
		audit(l, event.Tick{})
		count(s)
	}
}
