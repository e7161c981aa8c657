package machine

import (
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// voters counts the workers that say themselves that they are at a station, most of them
// at most: who is only named by replies may have been named by another.
func (r *roster) voters(station string, most int, now unit.Moment) int64 {
	n := 0
	for name := range servedAs(station) {
		c := r.told.byStation[name]
		if c == nil {
			continue
		}
		for p := c.all.Tail; p != nil; p = p.Prev {
			if n == most {
				return int64(n)
			}
			if !p.present(now) {
				break // those before it were silent for longer
			}
			if !r.servesBefore(p.of, name, station, now) {
				n++
			}
		}
	}
	return int64(n)
}

// servesBefore reports that a is at station under a name that comes before name,
// and so was counted.
func (r *roster) servesBefore(a *attendee, name, station string, now unit.Moment) bool {
	for other := range servedAs(station) {
		if other == name {
			return false
		}
		if p := r.told.places[seat{a.id, other}]; p != nil && p.present(now) {
			return true
		}
	}
	return false
}

// servedAs yields the names under which a worker may say that it serves a station:
// its own, and those above it that end in ".>".
func servedAs(station string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(station) {
			return
		}
		for dot := strings.LastIndexByte(station, '.'); dot >= 0; dot = strings.LastIndexByte(station[:dot], '.') {
			if !yield(station[:dot] + ".>") {
				return
			}
		}
	}
}

// lookWorkers answers with a page of those who are there, by their ids.
func (t *turn) lookWorkers(c schema.LookWorkers, from Asker) {
	t.suspect.reads = true
	var out schema.WorkerSlice
	r := t.roster
	r.sorted.Ascend(&attendee{id: c.After}, func(a *attendee) bool {
		if a.id == c.After || !a.present(t.now) || c.Station != "" && !a.serves(c.Station, r.told, t.now) && !a.serves(c.Station, r.named, t.now) {
			return true
		}
		if len(out.Workers) == c.Limit {
			out.More = true
			return false
		}
		out.Workers = append(out.Workers, a.shown(t.now))
		return true
	})
	t.b.answer(from, out, nil)
}

// seen takes in a worker's record.
func (t *turn) seen(ev Seen) {
	if ev.Gone {
		t.roster.gone(ev.Worker.WorkerID)
		return
	}
	t.roster.record(ev.Worker, t.now)
	for _, s := range ev.Worker.Stations {
		t.arrived(ev.Worker.WorkerID, s)
	}
}

// here takes in what a worker says at one station, and has its record put for those who
// read the bucket: people, and the next leader.
func (t *turn) here(ev Here) {
	if ev.Gone {
		if a := t.roster.left(ev.Worker.WorkerID, ev.Station, t.now); a != nil {
			t.putRecord(a)
		}
		return
	}
	a := t.roster.here(ev.Worker, ev.Station, t.now)
	t.arrived(ev.Worker.WorkerID, ev.Station)
	if a != nil && (a.recorded == 0 || t.now >= a.recorded.After(recordedEvery)) {
		t.putRecord(a)
	}
}

// arrived has what waited for a worker delivered at once.
func (m *Machine) arrived(id, station string) {
	m.undelivered.Arrive(waiting.Awaited{Worker: true, Name: id})
	m.undelivered.ArriveAt(station)
}

// putRecord tells the bucket of a worker, or that it is gone. One leader does that.
func (t *turn) putRecord(a *attendee) {
	if t.config.Partition != 0 {
		return
	}
	w := schema.Worker{WorkerID: a.id, Version: a.version, Load: a.load}
	for _, p := range a.places {
		if p.in.of == t.roster.told && p.present(t.now) {
			w.Stations = append(w.Stations, p.in.station)
		}
	}
	slices.Sort(w.Stations)
	a.recorded = t.now
	t.b.effect(Present{w})
}
