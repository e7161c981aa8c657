package presence

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// MaxServed bounds the stations at which one worker may be present, because its record has to
// fit into a bounded read.
const MaxServed = 256

const (
	// AbsentAfter is how long a worker counts as present after its last message; it announces
	// itself every 10 seconds.
	AbsentAfter = 30 * time.Second
	// maxAnnounced bounds the places of workers that announce themselves, one for each worker at
	// each station; maxNamed the places of workers that only replies and claims name, and
	// maxNamedAt those of one station among them.
	maxAnnounced = 100_000
	maxNamed     = 10_000
	maxNamedAt   = 1000
	// sweepSlice bounds the expired places that one event removes.
	sweepSlice = 16
	// recordedEvery is the interval at which the record of a worker that keeps announcing
	// itself is put into the bucket again, because it expires there.
	recordedEvery = 8 * time.Second
)

// A Registry is the set of recently active workers.
//
// It has two parts. A worker that announces itself at a station has a place in one, and a
// worker that is only named there, by a reply or a claim, in the other, because a worker can
// name any id. If a part is full, a place is taken from the station that has the most.
type Registry struct {
	byID      map[string]*activeWorker
	sorted    *btree.BTreeG[*activeWorker]
	announced *part
	named     *part
	puts      bool // it decides the records in the bucket
	versions  versions
}

// An activeWorker is a worker of the registry.
type activeWorker struct {
	id       string
	version  string
	load     int64
	build    schema.WorkerBuild
	ended    *minute // executions; nil: none
	places   []*place
	recorded unit.Moment // when its record was last put into the bucket; 0: never, or it has changed
}

// A place is a worker's place at a station, in one part of a registry.
type place struct {
	of   *activeWorker
	in   *stationPlaces
	last unit.Moment
	// byRecord: its own record in the bucket, which lists all its stations at once, was the
	// last to name the station.
	byRecord bool
	unit.Neighbours[*place]
}

// New returns an empty registry. Of several, one decides the records in the bucket.
func New(puts bool) *Registry {
	byID := func(a, b *activeWorker) bool { return a.id < b.id }
	return &Registry{
		byID:      map[string]*activeWorker{},
		sorted:    btree.NewBTreeGOptions(byID, btree.Options{NoLocks: true}),
		announced: newPart(maxAnnounced, maxAnnounced),
		named:     newPart(maxNamed, maxNamedAt),
		puts:      puts,
	}
}

// Here handles a worker's announcement at a station, and ignores it if the worker is at the
// maximum of other stations. It returns the record to put into the bucket; nil if the present
// one is still good.
func (r *Registry) Here(w schema.Worker, station string, now unit.Moment) (put *schema.Worker) {
	if r.isElsewhere(w.WorkerID, station, now) {
		return nil
	}
	p := r.take(r.announced, w.WorkerID, station, now)
	p.byRecord = false
	a := p.of
	a.says(&w)
	r.versions.note(station, w.Version, now)
	if a.recorded != 0 && now < a.recorded.After(recordedEvery) {
		return nil
	}
	return r.recordOf(a, now)
}

// recordOf is the record of a worker for the bucket, nil if another registry puts them; it has no
// stations if the worker is gone.
func (r *Registry) recordOf(a *activeWorker, now unit.Moment) *schema.Worker {
	if !r.puts {
		return nil
	}
	w := a.record()
	for _, p := range a.places {
		if p.in.of == r.announced && p.present(now) {
			w.Stations = append(w.Stations, p.in.station)
		}
	}
	slices.Sort(w.Stations)
	a.recorded = now
	return &w
}

// isElsewhere reports that a worker is at the maximum of stations, and not at this one. Its
// expired places are removed.
func (r *Registry) isElsewhere(id, station string, now unit.Moment) bool {
	a := r.byID[id]
	if a == nil || len(a.places) < MaxServed || r.announced.places[seat{id, station}] != nil {
		return false
	}
	at := 0
	for _, p := range slices.Clone(a.places) {
		switch {
		case p.in.of != r.announced:
		case p.present(now):
			at++
		default:
			r.leave(p)
		}
	}
	return at >= MaxServed
}

// Record handles a worker's own record of all its stations. It nearly always equals the
// previous one, and then costs next to nothing.
func (r *Registry) Record(w schema.Worker, now unit.Moment) {
	for _, station := range w.Stations {
		p := r.take(r.announced, w.WorkerID, station, now)
		p.byRecord = true
		p.of.says(&w)
		r.versions.note(station, w.Version, now)
	}
	a := r.byID[w.WorkerID]
	if a == nil || a.byRecord() <= len(w.Stations) {
		return
	}
	for _, p := range slices.Clone(a.places) {
		if p.byRecord && !slices.Contains(w.Stations, p.in.station) {
			r.leave(p)
		}
	}
}

// says takes over the facts that a worker announces about itself.
func (a *activeWorker) says(w *schema.Worker) {
	a.version, a.load, a.build = w.Version, w.Load, w.WorkerBuild
}

// record has the facts of says again.
func (a *activeWorker) record() schema.Worker {
	return schema.Worker{WorkerID: a.id, Version: a.version, Load: a.load, WorkerBuild: a.build}
}

// byRecord counts the stations that the worker's own record named.
func (a *activeWorker) byRecord() (n int) {
	for _, p := range a.places {
		if p.byRecord {
			n++
		}
	}
	return n
}

// Reply notes that a reply or a claim at a station named a worker.
func (r *Registry) Reply(id, station string, now unit.Moment) {
	if p := r.announced.places[seat{id, station}]; p != nil && p.present(now) {
		r.announced.refresh(p, now)
		return
	}
	r.take(r.named, id, station, now)
}

// Left handles a worker's departure from a station, and returns the record to put into the
// bucket; nil if the worker was not there.
func (r *Registry) Left(id, station string, now unit.Moment) (put *schema.Worker) {
	p := r.announced.places[seat{id, station}]
	if p == nil || !p.present(now) {
		return nil
	}
	r.leave(p)
	if n := r.named.places[seat{id, station}]; n != nil {
		r.leave(n)
	}
	return r.recordOf(p.of, now)
}

// Gone handles the removal or expiry of a worker's record.
func (r *Registry) Gone(id string) {
	a := r.byID[id]
	if a == nil {
		return
	}
	for _, p := range slices.Clone(a.places) {
		if p.byRecord || p.in.of == r.named {
			r.leave(p)
		}
	}
}

// take gives a worker a place at a station, or refreshes the one that it has.
func (r *Registry) take(in *part, id, station string, now unit.Moment) *place {
	in.sweep(now, r.leave)
	p := in.places[seat{id, station}]
	if p != nil {
		in.refresh(p, now)
		return p
	}
	a := r.byID[id]
	if a == nil {
		a = &activeWorker{id: id}
		r.byID[id] = a
		r.sorted.Set(a)
	}
	p = &place{of: a, last: now}
	a.places = append(a.places, p)
	a.recorded = 0
	in.enter(p, station, r.leave)
	return p
}

// leave removes a place, and a worker without another one.
func (r *Registry) leave(p *place) {
	p.in.of.leave(p)
	a := p.of
	i := slices.Index(a.places, p)
	a.places = slices.Delete(a.places, i, i+1)
	a.recorded = 0
	if len(a.places) == 0 {
		delete(r.byID, a.id)
		r.sorted.Delete(a)
	}
}

// SetBack moves later times to now, because the clock was set back.
func (r *Registry) SetBack(now unit.Moment) {
	r.versions.setBack(now)
	for _, a := range r.byID {
		a.recorded = min(a.recorded, now)
		for _, p := range a.places {
			p.last = min(p.last, now)
		}
	}
}

func (p *place) present(now unit.Moment) bool { return now < p.last.After(AbsentAfter) }

// IsPresent reports that a worker was active at a station within AbsentAfter.
func (r *Registry) IsPresent(id string, now unit.Moment) bool {
	a := r.byID[id]
	return a != nil && a.present(now)
}

func (a *activeWorker) present(now unit.Moment) bool {
	return slices.ContainsFunc(a.places, func(p *place) bool { return p.present(now) })
}

// serves reports that a worker is present in a part under one of a station's names.
func (a *activeWorker) serves(station string, in *part, now unit.Moment) bool {
	for name := range servedAs(station) {
		if p := in.places[seat{a.id, name}]; p != nil && p.present(now) {
			return true
		}
	}
	return false
}

// shown is the public record of a worker, with the stations at which it is present.
func (a *activeWorker) shown(now unit.Moment) schema.Worker {
	w := a.record()
	var last unit.Moment
	for _, p := range a.places {
		if p.present(now) {
			last = max(last, p.last)
			w.Stations = append(w.Stations, p.in.station)
		}
	}
	slices.Sort(w.Stations)
	w.Stations = slices.Compact(w.Stations)
	w.LastSeen = last.Time()
	return w
}

// A part of a registry divides its places among stations.
type part struct {
	most, mostAt int // places, and places of one station
	places       map[seat]*place
	byStation    map[string]*stationPlaces
	bySize       *btree.BTreeG[*stationPlaces]
	byActivity   unit.List[*stationPlaces] // in the order of their last activity
}

// A seat is a worker at a station.
type seat struct{ worker, station string }

// stationPlaces are the workers with a place at a station, in the order of their last activity.
type stationPlaces struct {
	of      *part
	station string
	all     unit.List[*place]
	unit.Neighbours[*stationPlaces]
}

func newPart(most, mostAt int) *part {
	bySize := func(a, b *stationPlaces) bool {
		return cmp.Or(cmp.Compare(a.all.Count, b.all.Count), cmp.Compare(a.station, b.station)) < 0
	}
	return &part{
		most: most, mostAt: mostAt,
		places: map[seat]*place{}, byStation: map[string]*stationPlaces{},
		bySize: btree.NewBTreeGOptions(bySize, btree.Options{NoLocks: true}),
	}
}

// enter gives p a place at a station. If there are too many, the place that was silent for the
// longest is removed, at the station with the most.
func (in *part) enter(p *place, station string, leave func(*place)) {
	c := in.byStation[station]
	if c == nil {
		c = &stationPlaces{of: in, station: station}
		in.byStation[station] = c
		in.byActivity.Push(c)
	}
	in.bySize.Delete(c)
	p.in = c
	c.all.Push(p)
	in.bySize.Set(c)
	in.places[seat{p.of.id, station}] = p
	in.noteActivity(c)
	if c.all.Count > in.mostAt {
		leave(c.all.Head)
	}
	if len(in.places) > in.most {
		switch most, _ := in.bySize.Max(); {
		case most.all.Count > c.all.Count:
			c = most
		case c.all.Head == p: // all stations have one
			c = in.byActivity.Head
		}
		leave(c.all.Head)
	}
}

func (in *part) leave(p *place) {
	c := p.in
	in.bySize.Delete(c)
	c.all.Drop(p)
	delete(in.places, seat{p.of.id, c.station})
	if c.all.Count > 0 {
		in.bySize.Set(c)
		return
	}
	in.byActivity.Drop(c)
	delete(in.byStation, c.station)
}

func (in *part) refresh(p *place, now unit.Moment) {
	p.last = now
	if c := p.in; c.all.Tail != p {
		c.all.Drop(p)
		c.all.Push(p)
	}
	in.noteActivity(p.in)
}

// noteActivity notes activity at a station.
func (in *part) noteActivity(c *stationPlaces) {
	if in.byActivity.Tail != c {
		in.byActivity.Drop(c)
		in.byActivity.Push(c)
	}
}

// sweep removes some expired places: at the station with the oldest activity and at the one
// with the newest.
func (in *part) sweep(now unit.Moment, leave func(*place)) {
	for range sweepSlice / 2 {
		for _, c := range []*stationPlaces{in.byActivity.Head, in.byActivity.Tail} {
			if c != nil && c.all.Head != nil && !c.all.Head.present(now) {
				leave(c.all.Head)
			}
		}
	}
}

// Page returns the present workers with ids after a given one, in the order of ids; with a
// station, only those that serve it. More reports that further ones follow.
func (r *Registry) Page(after, station string, limit int, now unit.Moment) (page []schema.Worker, more bool) {
	r.sorted.Ascend(&activeWorker{id: after}, func(a *activeWorker) bool {
		if a.id == after || !a.present(now) || station != "" && !a.serves(station, r.announced, now) && !a.serves(station, r.named, now) {
			return true
		}
		if len(page) == limit {
			more = true
			return false
		}
		page = append(page, a.shown(now))
		return true
	})
	return page, more
}
