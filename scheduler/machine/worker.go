package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/presence"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// MaxServed bounds the stations at which one worker says that it is there.
const MaxServed = presence.MaxServed

// lookWorkers shows a page of those who are there, by their ids.
func lookWorkers(t *turn, c schema.LookWorkers) (schema.WorkerSlice, error) {
	var out schema.WorkerSlice
	out.Workers, out.More = t.Roster.Page(c.After, c.Station, c.Limit, t.Now)
	return out, nil
}

// seen takes in a worker's record.
func (t *turn) seen(ev event.Seen) {
	if ev.Gone {
		t.Roster.Gone(ev.Worker.WorkerID)
		return
	}
	t.Roster.Record(ev.Worker, t.Now)
	for _, s := range ev.Worker.Stations {
		t.m.arrived(ev.Worker.WorkerID, s)
	}
}

// here takes in what a worker says at one station, and has its record put for those who
// read the bucket: people, and the next leader.
func (t *turn) here(ev event.Here) {
	if ev.Gone {
		t.putRecord(t.Roster.Left(ev.Worker.WorkerID, ev.Station, t.Now))
		return
	}
	put := t.Roster.Here(ev.Worker, ev.Station, t.Now)
	t.m.arrived(ev.Worker.WorkerID, ev.Station)
	t.putRecord(put)
}

// arrived has what waited for a worker delivered at once.
func (m *Machine) arrived(id, station string) {
	m.part.Undelivered.Arrive(waiting.Awaited{Worker: true, Name: id})
	m.part.Undelivered.ArriveAt(station)
}

// putRecord tells the bucket of a worker, or that it is gone.
func (t *turn) putRecord(w *schema.Worker) {
	if w != nil {
		t.Batch.Effect(event.Present{Worker: *w})
	}
}
