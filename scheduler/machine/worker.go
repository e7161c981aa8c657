package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/presence"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// MaxServed bounds the stations at which one worker says that it is there.
const MaxServed = presence.MaxServed

// lookWorkers answers with a page of those who are there, by their ids.
func (t *turn) lookWorkers(c schema.LookWorkers, from event.Asker) {
	t.suspect.reads = true
	var out schema.WorkerSlice
	out.Workers, out.More = t.roster.Page(c.After, c.Station, c.Limit, t.now)
	t.b.Answer(from, out, nil)
}

// seen takes in a worker's record.
func (t *turn) seen(ev event.Seen) {
	if ev.Gone {
		t.roster.Gone(ev.Worker.WorkerID)
		return
	}
	t.roster.Record(ev.Worker, t.now)
	for _, s := range ev.Worker.Stations {
		t.m.arrived(ev.Worker.WorkerID, s)
	}
}

// here takes in what a worker says at one station, and has its record put for those who
// read the bucket: people, and the next leader.
func (t *turn) here(ev event.Here) {
	if ev.Gone {
		t.putRecord(t.roster.Left(ev.Worker.WorkerID, ev.Station, t.now))
		return
	}
	put := t.roster.Here(ev.Worker, ev.Station, t.now)
	t.m.arrived(ev.Worker.WorkerID, ev.Station)
	t.putRecord(put)
}

// arrived has what waited for a worker delivered at once.
func (m *Machine) arrived(id, station string) {
	m.undelivered.Arrive(waiting.Awaited{Worker: true, Name: id})
	m.undelivered.ArriveAt(station)
}

// putRecord tells the bucket of a worker, or that it is gone.
func (t *turn) putRecord(w *schema.Worker) {
	if w != nil {
		t.b.Effect(event.Present{Worker: *w})
	}
}
