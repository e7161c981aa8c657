package table

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// ClosedFor is how long a plan that closed by itself is remembered, closedAtMost the
	// maximum of remembered plans, and ClosedOfName the maximum for one name, because these are
	// searched in sequence.
	ClosedFor    = 2 * time.Minute
	closedAtMost = 100_000
	ClosedOfName = 16
)

// Tombstones are the plans that closed by themselves a short while ago. A client that created
// one and got no response repeats the request with on_conflict keep, and then it must not run a
// second time: neither by the repetition, nor by the first request, which may come last. The
// rows that remove plans carry the moment, so that followers of the journal remember them too.
type Tombstones struct {
	Key    [16]byte
	Closed map[schema.PlanName][]Tombstone // one for each name and definition, the newest last
	order  []ending                        // in journal order
}

// A Tombstone is the moment at which a plan closed, from its row, the end of its retention, and
// the hash of its definition. Kept: it was published with keep, so that a request without keep
// may be an older one.
type Tombstone struct {
	At, until  unit.Moment
	definition uint64
	Kept       bool
}

type ending struct {
	name  schema.PlanName
	at    unit.Moment
	until unit.Moment
}

// Add adds a tombstone for a definition with this hash that closed at a moment, and removes the
// expired ones.
func (l *Tombstones) Add(name schema.PlanName, definition uint64, kept bool, at unit.Moment) {
	for len(l.order) > 0 && (len(l.order) >= closedAtMost || l.order[0].until <= at) {
		oldest := l.order[0]
		l.order = l.order[1:]
		l.drop(oldest.name, func(c Tombstone) bool { return c.At == oldest.at })
	}
	l.drop(name, func(c Tombstone) bool {
		kept = kept || c.definition == definition && c.Kept
		return c.definition == definition
	})
	before := l.Closed[name]
	if len(before) == ClosedOfName {
		before = slices.Delete(before, 0, 1)
	}
	until := at.After(ClosedFor)
	l.Closed[name] = append(before, Tombstone{at, until, definition, kept})
	l.order = append(l.order, ending{name, at, until})
}

// drop removes some tombstones of a name.
func (l *Tombstones) drop(name schema.PlanName, which func(Tombstone) bool) {
	if left := slices.DeleteFunc(l.Closed[name], which); len(left) > 0 {
		l.Closed[name] = left
		return
	}
	delete(l.Closed, name)
}

// Keep notes that the plan which closed at that moment was published with keep.
func (l *Tombstones) Keep(name schema.PlanName, at unit.Moment) {
	for i := range l.Closed[name] {
		if c := &l.Closed[name][i]; c.At == at {
			c.Kept = true
		}
	}
}

// SetBack shortens the retention of plans to that of a plan that closes now, because the clock
// was set back. The moment of closing stays as in its row, because followers identify it by
// that.
func (l *Tombstones) SetBack(now unit.Moment) {
	until := now.After(ClosedFor)
	for i := range l.order { // later ones may have closed under a correct clock
		e := &l.order[i]
		if e.until <= until {
			continue
		}
		e.until = until
		for j := range l.Closed[e.name] {
			l.Closed[e.name][j].until.Cut(until)
		}
	}
}

// Named reports that a plan of this name closed a short while ago, under any definition,
// because an id is one task's.
func (l *Tombstones) Named(name schema.PlanName, now unit.Moment) bool {
	return slices.ContainsFunc(l.Closed[name], func(c Tombstone) bool { return now < c.until })
}

// Find returns the tombstone of a plan of this name and definition, nil if there is none.
func (l *Tombstones) Find(name schema.PlanName, raw []byte, now unit.Moment) *Tombstone {
	if len(l.Closed[name]) == 0 {
		return nil
	}
	definition := event.HashOf(&l.Key, raw)
	for i := range l.Closed[name] {
		if c := &l.Closed[name][i]; c.definition == definition && now < c.until {
			return c
		}
	}
	return nil
}
