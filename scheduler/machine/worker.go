package machine

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/presence"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// MaxServed bounds the stations of one worker's record.
const MaxServed = presence.MaxServed

// listWorkers shows a page of the workers that are present, by their ids.
func listWorkers(t *turn, c command.ListWorkers) (command.WorkerSlice, error) {
	var out command.WorkerSlice
	out.Workers, out.More = t.Registry.Page(c.After, c.Station, c.Limit, t.Now)
	return out, nil
}

// seen takes in a worker's record.
func (t *turn) seen(ev event.WorkerSeen) {
	if ev.Gone {
		t.Registry.Gone(ev.Worker.WorkerID)
		return
	}
	t.Registry.Record(ev.Worker, t.Now)
	for _, s := range ev.Worker.Stations {
		t.m.arrived(ev.Worker.WorkerID, s)
	}
}

// here takes in a worker's announcement at one station, and has its record written to the
// bucket, because people and the next leader read it there.
func (t *turn) here(ev event.StationPresence) {
	if ev.Gone {
		t.putRecord(t.Registry.Left(ev.Worker.WorkerID, ev.Station, t.Now))
		return
	}
	put := t.Registry.Here(ev.Worker, ev.Station, t.Now)
	t.m.arrived(ev.Worker.WorkerID, ev.Station)
	t.putRecord(put)
}

// arrived publishes the executions at once that waited for a worker.
func (m *Machine) arrived(id, station string) {
	m.part.Undelivered.Arrive(waiting.Awaited{Worker: true, Name: id})
	m.part.Undelivered.ArriveAt(station)
}

// putRecord writes a worker's record to the bucket, or deletes it when the worker is gone.
func (t *turn) putRecord(w *schema.Worker) {
	if w != nil {
		t.Batch.Effect(event.Present{Worker: *w})
	}
}
