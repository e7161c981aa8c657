package machine

import (
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// voters counts the workers that say themselves that they are at a station, most of them
// at most: who is only named by replies may have been named by another.
func (r *roster) voters(station string, most int, now moment) int64 {
	n := 0
	for name := range servedAs(station) {
		c := r.told.byStation[name]
		if c == nil {
			continue
		}
		for p := c.all.tail; p != nil; p = p.prev {
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
func (r *roster) servesBefore(a *attendee, name, station string, now moment) bool {
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
func (m *Machine) lookWorkers(c schema.LookWorkers, from Asker, now moment, b *Batch) {
	m.suspect.reads = true
	var out schema.WorkerSlice
	r := m.roster
	r.sorted.Ascend(&attendee{id: c.After}, func(a *attendee) bool {
		if a.id == c.After || !a.present(now) || c.Station != "" && !a.serves(c.Station, r.told, now) && !a.serves(c.Station, r.named, now) {
			return true
		}
		if len(out.Workers) == c.Limit {
			out.More = true
			return false
		}
		out.Workers = append(out.Workers, a.shown(now))
		return true
	})
	b.answer(from, out, nil)
}

// seen takes in a worker's record.
func (m *Machine) seen(now moment, ev Seen) {
	if ev.Gone {
		m.roster.gone(ev.Worker.WorkerID)
		return
	}
	m.roster.record(ev.Worker, now)
	for _, s := range ev.Worker.Stations {
		m.arrived(ev.Worker.WorkerID, s)
	}
}

// here takes in what a worker says at one station, and has its record put for those who
// read the bucket: people, and the next leader.
func (m *Machine) here(now moment, ev Here, b *Batch) {
	if ev.Gone {
		if a := m.roster.left(ev.Worker.WorkerID, ev.Station, now); a != nil {
			m.putRecord(a, now, b)
		}
		return
	}
	a := m.roster.here(ev.Worker, ev.Station, now)
	m.arrived(ev.Worker.WorkerID, ev.Station)
	if a != nil && (a.recorded == 0 || now >= a.recorded.after(recordedEvery)) {
		m.putRecord(a, now, b)
	}
}

// arrived has what waited for a worker delivered at once.
func (m *Machine) arrived(id, station string) {
	m.unserved.arrive(waitFor{worker: true, name: id})
	m.unserved.arriveAt(station)
}

// putRecord tells the bucket of a worker, or that it is gone. One leader does that.
func (m *Machine) putRecord(a *attendee, now moment, b *Batch) {
	if m.config.Partition != 0 {
		return
	}
	w := schema.Worker{WorkerID: a.id, Version: a.version, Load: a.load}
	for _, p := range a.places {
		if p.in.of == m.roster.told && p.present(now) {
			w.Stations = append(w.Stations, p.in.station)
		}
	}
	slices.Sort(w.Stations)
	a.recorded = now
	b.effect(Present{w})
}
