package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// miss notes that p has an execution that reached nobody: it waits for the workers that it
// names, or else for any of its station.
func (m *Partition) miss(p *state.Plan) {
	if m.undelivered.Waits(p.Handle) {
		return
	}
	awaited := []waiting.Awaited{{Name: p.Name.Station}}
	if named := m.named(p); len(named) > 0 {
		awaited = awaited[:0]
		for _, id := range named {
			awaited = append(awaited, waiting.Awaited{Worker: true, Name: id})
		}
	}
	m.undelivered.Enter(p.Handle, awaited...)
}

// serve notes that p may wait for nobody any more.
func (m *Partition) serve(p *state.Plan) {
	if m.undelivered.Waits(p.Handle) && !p.Unserved() {
		m.undelivered.Leave(p.Handle)
	}
}

// welcome makes some of the executions due whose worker has appeared.
func (t *turn) welcome() {
	for range tickSlice {
		h, ok := t.undelivered.Next()
		if !ok {
			return
		}
		t.m.looks++
		p := t.handles.Of(h)
		t.at(p)
		t.undelivered.Leave(h)
		for _, o := range p.Open {
			for _, x := range o.Live {
				if x.Unserved() {
					x.Retry = t.now
				}
			}
		}
		schedule(t.Partition, p)
	}
}

// named returns the workers that an execution of p goes to, one at a time: only those of
// api stations are (at a pull station worker_ids say who may claim).
func (m *Partition) named(p *state.Plan) []string {
	if p.Opts == nil || p.Station.Kind() != schema.KindAPI {
		return nil
	}
	return p.Opts.Workers
}
