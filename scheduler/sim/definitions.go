package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// definitions reads large definitions back from the bucket (scheduler/storing/definitions.go).
type definitions struct {
	l       *leader
	waiting map[schema.PlanName][]awaited
}

// awaited is a definition that something waits for since a moment.
type awaited struct {
	event.Fetch
	since time.Time
}

// fetch has a definition read, unless it is being read already.
func (d *definitions) fetch(e event.Fetch) {
	d.waiting[e.Name] = append(d.waiting[e.Name], awaited{e, d.l.w.now})
	if len(d.waiting[e.Name]) == 1 {
		(&recall{d: d, name: e.Name}).look()
	}
}

// recall is the reading of a plan's definition, until nothing waits for it.
type recall struct {
	d      *definitions
	name   schema.PlanName
	missed time.Time // since when it is missing; zero: it was not looked for, or could not be
	looks  int       // since then
}

func (r *recall) look() {
	l := r.d.l
	w := l.w
	var raw []byte
	l.call(func() error {
		raw = l.d.bucket[schema.PlanKey(r.name.Station, r.name.PlanID)]
		if w.fault(w.odds.stale, "stale definition") {
			raw = nil
		}
		return nil
	}, func(err error) {
		switch {
		case err != nil:
			r.missed, r.looks = time.Time{}, 0
		case r.missed.IsZero():
			r.missed = w.now
		}
		r.looks++
		lost := time.Time{}
		switch {
		case w.planted(GivesUp):
			lost = w.now
		case err == nil && w.now.Sub(r.missed) > missingFor && r.looks >= leastLooks:
			lost, r.missed, r.looks = r.missed, time.Time{}, 0
		}
		if r.d.serve(r.name, raw, lost) {
			return
		}
		l.later(r.look)
	})
}

// serve hands raw to those who want it, or tells others, who wait since lost, that what
// they want is not there. It reports whether that was all.
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
