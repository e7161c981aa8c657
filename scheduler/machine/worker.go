package machine

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// absentAfter is how long a worker that says nothing counts as present; it puts
	// its record every 10 seconds.
	absentAfter = 30 * time.Second
	// maxWorkers bounds the workers that are known, and maxServed the stations that
	// they name, together: the one that was silent the longest is forgotten.
	maxWorkers = 10_000
	maxServed  = 100_000
	// sweepSlice bounds the workers that one event forgets because they are silent.
	sweepSlice = 16
)

// A roster is who was heard of lately. It is a leader's own: lost with it, and made
// again of what workers say.
type roster struct {
	byID    map[string]*attendee
	sorted  *btree.BTreeG[*attendee]
	serving map[string]map[*attendee]struct{} // by station, as recorded
	served  int                               // stations of all, together
	heard   linked[*attendee]                 // in the order in which they were heard of last
}

// An attendee is a worker that was heard of.
type attendee struct {
	worker   schema.Worker // without LastSeen
	last     moment
	recorded bool // by itself, and not just seen by its replies
	neighbours[*attendee]
}

func newRoster() *roster {
	byID := func(a, b *attendee) bool { return a.worker.WorkerID < b.worker.WorkerID }
	return &roster{
		byID:    map[string]*attendee{},
		sorted:  btree.NewBTreeGOptions(byID, btree.Options{NoLocks: true}),
		serving: map[string]map[*attendee]struct{}{},
	}
}

// record takes in what a worker says of itself. Nearly always it is what it said
// before, and then that costs next to nothing.
func (r *roster) record(w schema.Worker, now moment) {
	r.sweep(now)
	w.LastSeen = time.Time{}
	a := r.byID[w.WorkerID]
	if a != nil && slices.Equal(a.worker.Stations, w.Stations) {
		w.Stations = a.worker.Stations
		a.worker = w
		a.recorded = true
		r.refresh(a, now)
		return
	}
	if a != nil {
		r.forget(a)
	}
	r.enter(&attendee{worker: w, last: now, recorded: true})
}

// reply takes in that a worker answered for a station.
func (r *roster) reply(id, station string, now moment) {
	r.sweep(now)
	a := r.byID[id]
	switch {
	case a == nil:
		r.enter(&attendee{worker: schema.Worker{WorkerID: id, Stations: []string{station}}, last: now})
	case a.recorded || slices.Contains(a.worker.Stations, station):
		r.refresh(a, now)
	default:
		more := slices.Sorted(slices.Values(append(slices.Clone(a.worker.Stations), station)))
		r.forget(a)
		a.worker.Stations, a.last = more, now
		r.enter(a)
	}
}

// gone takes in that a worker has left.
func (r *roster) gone(id string) {
	if a := r.byID[id]; a != nil {
		r.forget(a)
	}
}

// sweep forgets some of those who have been silent.
func (r *roster) sweep(now moment) {
	for range sweepSlice {
		oldest := r.heard.head
		if oldest == nil || oldest.present(now) {
			return
		}
		r.forget(oldest)
	}
}

func (a *attendee) present(now moment) bool { return now < a.last.after(absentAfter) }

func (r *roster) enter(a *attendee) {
	r.byID[a.worker.WorkerID] = a
	r.sorted.Set(a)
	for _, s := range a.worker.Stations {
		if r.serving[s] == nil {
			r.serving[s] = map[*attendee]struct{}{}
		}
		r.serving[s][a] = struct{}{}
	}
	r.served += len(a.worker.Stations)
	r.heard.push(a)
	for r.heard.head != a && (len(r.byID) > maxWorkers || r.served > maxServed) {
		r.forget(r.heard.head)
	}
}

func (r *roster) forget(a *attendee) {
	delete(r.byID, a.worker.WorkerID)
	r.sorted.Delete(a)
	for _, s := range a.worker.Stations {
		delete(r.serving[s], a)
		if len(r.serving[s]) == 0 {
			delete(r.serving, s)
		}
	}
	r.served -= len(a.worker.Stations)
	r.heard.drop(a)
}

func (r *roster) refresh(a *attendee, now moment) {
	a.last = now
	if r.heard.tail != a {
		r.heard.drop(a)
		r.heard.push(a)
	}
}

// isPresent reports that a worker was heard of lately.
func (r *roster) isPresent(id string, now moment) bool {
	a := r.byID[id]
	return a != nil && a.present(now)
}

// voters counts the workers of a station that have put a record, most of them at
// most: a worker that is only known by its replies may have answered as another.
func (r *roster) voters(station string, most int, now moment) int64 {
	n := 0
	for name := range servedAs(station) {
		for a := range r.serving[name] {
			if n == most {
				return int64(n)
			}
			if a.recorded && a.present(now) && !a.servesBefore(name, station) {
				n++
			}
		}
	}
	return int64(n)
}

// servesBefore reports that a serves station under a name that comes before name,
// and so was counted.
func (a *attendee) servesBefore(name, station string) bool {
	for other := range servedAs(station) {
		if other == name {
			return false
		}
		if slices.Contains(a.worker.Stations, other) {
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

func (a *attendee) serves(station string) bool {
	for name := range servedAs(station) {
		if slices.Contains(a.worker.Stations, name) {
			return true
		}
	}
	return false
}

// lookWorkers answers with a page of those who are there, by their ids.
func (m *Machine) lookWorkers(c schema.LookWorkers, from Asker, now moment, b *Batch) {
	m.suspect.reads = true
	var out schema.WorkerSlice
	first := &attendee{worker: schema.Worker{WorkerID: c.After}}
	m.roster.sorted.Ascend(first, func(a *attendee) bool {
		if a.worker.WorkerID == c.After || !a.present(now) || c.Station != "" && !a.serves(c.Station) {
			return true
		}
		if len(out.Workers) == c.Limit {
			out.More = true
			return false
		}
		w := a.worker
		w.LastSeen = a.last.time()
		out.Workers = append(out.Workers, w)
		return true
	})
	b.answer(from, out, nil)
}

// seen takes in a worker's record: what waited for it is delivered at once.
func (m *Machine) seen(now moment, ev Seen) {
	if ev.Gone {
		m.roster.gone(ev.Worker.WorkerID)
		return
	}
	m.roster.record(ev.Worker, now)
	m.unserved.arrive(waitFor{worker: true, name: ev.Worker.WorkerID})
	for _, s := range ev.Worker.Stations {
		m.unserved.arriveAt(s)
	}
}
