package presence

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// MaxServed bounds the stations at which one worker says that it is there: its record has to
// fit in what is read of one.
const MaxServed = 256

const (
	// AbsentAfter is how long a worker that says nothing counts as present; it says
	// that it is here every 10 seconds.
	AbsentAfter = 30 * time.Second
	// maxTold bounds the places of those who say themselves that they are here, one for
	// each worker at each station; maxNamed those of whoever is named by replies and
	// claims, and maxNamedAt those of one station among them.
	maxTold    = 100_000
	maxNamed   = 10_000
	maxNamedAt = 1000
	// sweepSlice bounds the places that one event takes from those who are silent.
	sweepSlice = 16
	// recordedEvery is how often the record of a worker that goes on saying it is here
	// is put into the bucket again, where it expires.
	recordedEvery = 8 * time.Second
)

// A Roster is who was heard of lately.
//
// It has two parts. Whoever says at a station that it is here has a place in one, and
// whoever is only named there, in a reply or a claim, in the other: a worker can name
// anybody. Where a part is full, a place is taken from the station that has the most.
type Roster struct {
	byID   map[string]*attendee
	sorted *btree.BTreeG[*attendee]
	told   *part
	named  *part
	puts   bool // it says what the bucket is to have
}

// An attendee is a worker that was heard of.
type attendee struct {
	id       string
	version  string
	load     int64
	places   []*attendance
	recorded unit.Moment // when its record was put into the bucket last; 0: never, or it has changed
}

// An attendance is a worker's place at a station, in one part of a roster.
type attendance struct {
	of   *attendee
	in   *attendees
	last unit.Moment
	// byRecord says that its own record in the bucket named the station last, which tells
	// of all its stations at once.
	byRecord bool
	unit.Neighbours[*attendance]
}

// New returns a roster with nobody in it. Of several, one says what the bucket is to have.
func New(puts bool) *Roster {
	byID := func(a, b *attendee) bool { return a.id < b.id }
	return &Roster{
		byID:   map[string]*attendee{},
		sorted: btree.NewBTreeGOptions(byID, btree.Options{NoLocks: true}),
		told:   newPart(maxTold, maxTold),
		named:  newPart(maxNamed, maxNamedAt),
		puts:   puts,
	}
}

// Here takes in that a worker says at a station that it is there, unless it is at as many
// others as it may be. It returns the record that the bucket is to have of it; nil: the one
// that it has goes on for a while.
func (r *Roster) Here(w schema.Worker, station string, now unit.Moment) (put *schema.Worker) {
	if r.isElsewhere(w.WorkerID, station, now) {
		return nil
	}
	p := r.take(r.told, w.WorkerID, station, now)
	p.byRecord = false
	a := p.of
	a.version, a.load = w.Version, w.Load
	if a.recorded != 0 && now < a.recorded.After(recordedEvery) {
		return nil
	}
	return r.recordOf(a, now)
}

// recordOf is what the bucket is told of a worker, if this roster says so; it has no stations
// when it is gone.
func (r *Roster) recordOf(a *attendee, now unit.Moment) *schema.Worker {
	if !r.puts {
		return nil
	}
	w := schema.Worker{WorkerID: a.id, Version: a.version, Load: a.load}
	for _, p := range a.places {
		if p.in.of == r.told && p.present(now) {
			w.Stations = append(w.Stations, p.in.station)
		}
	}
	slices.Sort(w.Stations)
	a.recorded = now
	return &w
}

// isElsewhere reports that a worker is at as many stations as it may be, and not at this one.
// Places where it has been silent are taken from it.
func (r *Roster) isElsewhere(id, station string, now unit.Moment) bool {
	a := r.byID[id]
	if a == nil || len(a.places) < MaxServed || r.told.places[seat{id, station}] != nil {
		return false
	}
	at := 0
	for _, p := range slices.Clone(a.places) {
		switch {
		case p.in.of != r.told:
		case p.present(now):
			at++
		default:
			r.leave(p)
		}
	}
	return at >= MaxServed
}

// Record takes in what a worker says of itself at all its stations. Nearly always it is
// what it said before, and then that costs next to nothing.
func (r *Roster) Record(w schema.Worker, now unit.Moment) {
	for _, station := range w.Stations {
		p := r.take(r.told, w.WorkerID, station, now)
		p.byRecord = true
		p.of.version, p.of.load = w.Version, w.Load
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

// byRecord counts the stations that the worker's own record named.
func (a *attendee) byRecord() (n int) {
	for _, p := range a.places {
		if p.byRecord {
			n++
		}
	}
	return n
}

// Reply takes in that a worker was named by who answered or claimed at a station.
func (r *Roster) Reply(id, station string, now unit.Moment) {
	if p := r.told.places[seat{id, station}]; p != nil && p.present(now) {
		r.told.refresh(p, now)
		return
	}
	r.take(r.named, id, station, now)
}

// Left takes in that a worker says at a station that it goes, and returns the record that the
// bucket is to have of it; nil: it was not there.
func (r *Roster) Left(id, station string, now unit.Moment) (put *schema.Worker) {
	p := r.told.places[seat{id, station}]
	if p == nil || !p.present(now) {
		return nil
	}
	r.leave(p)
	if n := r.named.places[seat{id, station}]; n != nil {
		r.leave(n)
	}
	return r.recordOf(p.of, now)
}

// Gone takes in that the record of a worker was removed, or has expired.
func (r *Roster) Gone(id string) {
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

// take gives a worker its place at a station, or refreshes the one that it has.
func (r *Roster) take(in *part, id, station string, now unit.Moment) *attendance {
	in.sweep(now, r.leave)
	p := in.places[seat{id, station}]
	if p != nil {
		in.refresh(p, now)
		return p
	}
	a := r.byID[id]
	if a == nil {
		a = &attendee{id: id}
		r.byID[id] = a
		r.sorted.Set(a)
	}
	p = &attendance{of: a, last: now}
	a.places = append(a.places, p)
	a.recorded = 0
	in.enter(p, station, r.leave)
	return p
}

// leave takes a place away, and forgets a worker that has no other.
func (r *Roster) leave(p *attendance) {
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

// SetBack has nobody heard of later than now, since the clock was set back.
func (r *Roster) SetBack(now unit.Moment) {
	for _, a := range r.byID {
		a.recorded = min(a.recorded, now)
		for _, p := range a.places {
			p.last = min(p.last, now)
		}
	}
}

func (p *attendance) present(now unit.Moment) bool { return now < p.last.After(AbsentAfter) }

// IsPresent reports that a worker was heard of lately.
func (r *Roster) IsPresent(id string, now unit.Moment) bool {
	a := r.byID[id]
	return a != nil && a.present(now)
}

func (a *attendee) present(now unit.Moment) bool {
	return slices.ContainsFunc(a.places, func(p *attendance) bool { return p.present(now) })
}

// serves reports that a worker has a place in a part under one of a station's names, and
// was heard of there lately.
func (a *attendee) serves(station string, in *part, now unit.Moment) bool {
	for name := range servedAs(station) {
		if p := in.places[seat{a.id, name}]; p != nil && p.present(now) {
			return true
		}
	}
	return false
}

// shown is what is told of a worker: its stations are those where it is present.
func (a *attendee) shown(now unit.Moment) schema.Worker {
	w := schema.Worker{WorkerID: a.id, Version: a.version, Load: a.load}
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

// A part of a roster shares its places out by station.
type part struct {
	most, mostAt int // places, and places of one station
	places       map[seat]*attendance
	byStation    map[string]*attendees
	bySize       *btree.BTreeG[*attendees]
	heard        unit.List[*attendees] // in the order in which somebody there was heard of last
}

// A seat is which worker, at which station.
type seat struct{ worker, station string }

// Attendees are those who have a place at a station, in the order in which they were heard
// of last.
type attendees struct {
	of      *part
	station string
	all     unit.List[*attendance]
	unit.Neighbours[*attendees]
}

func newPart(most, mostAt int) *part {
	bySize := func(a, b *attendees) bool {
		return cmp.Or(cmp.Compare(a.all.Count, b.all.Count), cmp.Compare(a.station, b.station)) < 0
	}
	return &part{
		most: most, mostAt: mostAt,
		places: map[seat]*attendance{}, byStation: map[string]*attendees{},
		bySize: btree.NewBTreeGOptions(bySize, btree.Options{NoLocks: true}),
	}
}

// enter gives p a place at a station. If there are too many, whoever was silent the
// longest where the most are has to leave.
func (in *part) enter(p *attendance, station string, leave func(*attendance)) {
	c := in.byStation[station]
	if c == nil {
		c = &attendees{of: in, station: station}
		in.byStation[station] = c
		in.heard.Push(c)
	}
	in.bySize.Delete(c)
	p.in = c
	c.all.Push(p)
	in.bySize.Set(c)
	in.places[seat{p.of.id, station}] = p
	in.hear(c)
	if c.all.Count > in.mostAt {
		leave(c.all.Head)
	}
	if len(in.places) > in.most {
		switch most, _ := in.bySize.Max(); {
		case most.all.Count > c.all.Count:
			c = most
		case c.all.Head == p: // all stations have one
			c = in.heard.Head
		}
		leave(c.all.Head)
	}
}

func (in *part) leave(p *attendance) {
	c := p.in
	in.bySize.Delete(c)
	c.all.Drop(p)
	delete(in.places, seat{p.of.id, c.station})
	if c.all.Count > 0 {
		in.bySize.Set(c)
		return
	}
	in.heard.Drop(c)
	delete(in.byStation, c.station)
}

func (in *part) refresh(p *attendance, now unit.Moment) {
	p.last = now
	if c := p.in; c.all.Tail != p {
		c.all.Drop(p)
		c.all.Push(p)
	}
	in.hear(p.in)
}

// hear notes that somebody at a station was heard of.
func (in *part) hear(c *attendees) {
	if in.heard.Tail != c {
		in.heard.Drop(c)
		in.heard.Push(c)
	}
}

// sweep takes the places of some who have been silent: at the station where nobody was
// heard of for the longest, and at the one where somebody was heard of last.
func (in *part) sweep(now unit.Moment, leave func(*attendance)) {
	for range sweepSlice / 2 {
		for _, c := range []*attendees{in.heard.Head, in.heard.Tail} {
			if c != nil && c.all.Head != nil && !c.all.Head.present(now) {
				leave(c.all.Head)
			}
		}
	}
}

// Page returns the workers that were heard of lately, by their ids, behind the id after; with
// a station, those that serve it. More says that there are others behind them.
func (r *Roster) Page(after, station string, limit int, now unit.Moment) (page []schema.Worker, more bool) {
	r.sorted.Ascend(&attendee{id: after}, func(a *attendee) bool {
		if a.id == after || !a.present(now) || station != "" && !a.serves(station, r.told, now) && !a.serves(station, r.named, now) {
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
