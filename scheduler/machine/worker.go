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

// mostHeld bounds the executions that are shown of one worker.
const mostHeld = 1000

// getWorker shows a worker and the executions that it has. It may have some and not be present.
func getWorker(t *turn, c command.GetWorker) (out command.FoundWorker, _ error) {
	out.Worker, out.Rate1m, out.There = t.Registry.Find(c.WorkerID, t.Now)
	out.Executions = []schema.WorkerExecution{}
	for h := range t.Held.At(c.WorkerID) {
		p := t.Handles.Of(h)
		for _, o := range p.Open {
			for _, x := range o.Live {
				if x.Worker != c.WorkerID {
					continue
				}
				if len(out.Executions) == mostHeld {
					out.More = true
					return out, nil
				}
				out.Executions = append(out.Executions, schema.WorkerExecution{
					PlanName: p.Name, Occurrence: o.K, N: x.N, Attempt: x.Attempt, State: x.State,
					Since: x.Sent.Time(), Deadline: x.Deadline.Time(), Progress: x.Progress,
				})
			}
		}
	}
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
