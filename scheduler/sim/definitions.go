package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// definitions reads large definitions back from the bucket (scheduler/storing/definitions.go).
type definitions struct {
	l       *leader
	waiting map[schema.PlanName][]awaited
}

// awaited is a definition for which a command or plan waits since a moment.
type awaited struct {
	event.Fetch
	since time.Time
}

// fetch has a definition read, unless it is being read already.
func (d *definitions) fetch(e event.Fetch) {
	d.waiting[e.Name] = append(d.waiting[e.Name], awaited{e, d.l.w.now})
	if len(d.waiting[e.Name]) == 1 {
		(&recall{d: d, name: e.Name, looks: protocol.NewSearch(d.l.w.now)}).look()
	}
}

// recall is the reading of a plan's definition, until no plan or command waits for it.
type recall struct {
	d     *definitions
	name  schema.PlanName
	looks protocol.Search
}

func (r *recall) look() {
	l := r.d.l
	w := l.w
	var raw []byte
	l.call(func() error {
		raw = l.d.bucket[storage.PlanKey(r.name.Station, r.name.PlanID)]
		if w.fault(w.odds.stale, "stale definition") {
			raw = nil
		}
		return nil
	}, func(err error) {
		lost := time.Time{}
		if over := r.looks.Over(w.now, true, err != nil); over && err == nil {
			lost, r.looks = r.looks.Since(), protocol.NewSearch(w.now)
		}
		if w.planted(GivesUp) {
			lost = w.now
		}
		if r.d.serve(r.name, raw, lost) {
			return
		}
		l.later(r.look)
	})
}

// serve hands raw to those who wait for it, or reports to those who wait since lost that their
// definition is missing. True: none waits any longer.
func (d *definitions) serve(name schema.PlanName, raw []byte, lost time.Time) bool {
	var left []awaited
	for _, e := range d.waiting[name] {
		switch {
		case e.Want.Of(raw):
			d.l.after = append(d.l.after, event.Fetched{Fetch: e.Fetch, Raw: raw})
		case !e.since.After(lost):
			d.l.after = append(d.l.after, event.Fetched{Fetch: e.Fetch})
		default:
			left = append(left, e)
		}
	}
	if d.waiting[name] = left; len(left) == 0 {
		delete(d.waiting, name)
	}
	d.l.turnSoon()
	return len(left) == 0
}
