package table

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// ClosedFor is how long a plan that closed by itself is remembered, closedAtMost how
	// many are, and closedOfName how many of one name: they are looked through.
	ClosedFor    = 2 * time.Minute
	closedAtMost = 100_000
	ClosedOfName = 16
)

// Tombstones are the plans that closed by themselves a short while ago. Who created one and
// heard no answer says it again with on_conflict keep, and then it must not run a second
// time: neither by what is said again, nor by the request of before, which may come last.
// The rows that take plans away carry the moment, so that who follows the journal remembers
// them too.
type Tombstones struct {
	Key    [16]byte
	Closed map[schema.PlanName][]Tombstone // of a name one for each definition, the newest last
	order  []ending                        // in the order of the journal
}

// A Tombstone is when a plan closed, as its row says, until when it is remembered, and the hash
// of its definition. Kept says that it was said with keep, and so perhaps again: what comes
// without may be of before.
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

// Add notes that a plan closed at a moment, whose definition has this hash, and lets go
// of what closed too long ago.
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

// drop lets go of some of a name.
func (l *Tombstones) drop(name schema.PlanName, which func(Tombstone) bool) {
	if left := slices.DeleteFunc(l.Closed[name], which); len(left) > 0 {
		l.Closed[name] = left
		return
	}
	delete(l.Closed, name)
}

// Keep notes that the plan which closed at that moment was said with keep.
func (l *Tombstones) Keep(name schema.PlanName, at unit.Moment) {
	for i := range l.Closed[name] {
		if c := &l.Closed[name][i]; c.At == at {
			c.Kept = true
		}
	}
}

// SetBack has no plan remembered for longer than if it closed now, since the clock was set
// back. When it closed stays as its row says, by which followers know it.
func (l *Tombstones) SetBack(now unit.Moment) {
	until := now.After(ClosedFor)
	for i := range l.order { // later ones may have closed by a clock that was right
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

// Named reports that a plan of this name closed lately: one task has an id, whatever is
// said of it the next time.
func (l *Tombstones) Named(name schema.PlanName, now unit.Moment) bool {
	return slices.ContainsFunc(l.Closed[name], func(c Tombstone) bool { return now < c.until })
}

// Find returns what is known of a plan of this name and definition that closed lately; nil:
// there was none.
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
