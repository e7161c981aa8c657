package table

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
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
// rows that remove plans carry the moment, so that followers of the journal remember them too,
// and the bucket has them in rows of their own, because the journal is purged sooner.
type Tombstones struct {
	Key    [16]byte
	Closed map[schema.PlanName][]Tombstone // one for each name and definition, the newest last
	order  []ending                        // in journal order
	rows   []row
	dirty  []dirty
}

// A Tombstone is one plan that is remembered, and the end of its retention.
type Tombstone struct {
	state.Tombstone
	until unit.Moment
	// stored: it comes from the bucket, and the row of the journal that removed its plan may
	// follow.
	stored bool
	// ran is when the last execution of the plan began; 0: it had none; unknownRun: another leader
	// knew it. No row has it.
	ran unit.Moment
}

// unknownRun is the begin of the last execution of a plan that an earlier leader has closed.
const unknownRun unit.Moment = -1

// RanSince reports that the plan may have had an execution since a record of it, which has one that
// began at a moment.
func (t *Tombstone) RanSince(began unit.Moment) bool { return t.ran != began }

type ending struct {
	name  schema.PlanName
	at    unit.Moment
	until unit.Moment
}

// Add adds a tombstone, and removes the expired ones. It returns the tombstone as it is kept,
// because an earlier one of the same definition may have been published with keep.
func (l *Tombstones) Add(s state.Tombstone) state.Tombstone { return l.add(s, unknownRun, false) }

// AddOwn is Add for a plan that this leader closes; ran is when its last execution began.
func (l *Tombstones) AddOwn(s state.Tombstone, ran unit.Moment) state.Tombstone {
	return l.add(s, ran, false)
}

func (l *Tombstones) add(s state.Tombstone, ran unit.Moment, stored bool) state.Tombstone {
	for len(l.order) > 0 && (len(l.order) >= closedAtMost || l.order[0].until <= s.At) {
		oldest := l.order[0]
		l.order = l.order[1:]
		l.drop(oldest.name, func(c Tombstone) bool { return c.At == oldest.at })
	}
	l.drop(s.Name, func(c Tombstone) bool {
		s.Kept = s.Kept || c.Definition == s.Definition && c.Kept
		return c.Definition == s.Definition
	})
	before := l.Closed[s.Name]
	if len(before) == ClosedOfName {
		before = slices.Delete(before, 0, 1)
	}
	until := s.At.After(ClosedFor)
	l.Closed[s.Name] = append(before, Tombstone{s, until, stored, ran})
	l.order = append(l.order, ending{s.Name, s.At, until})
	return s
}

// drop removes some tombstones of a name.
func (l *Tombstones) drop(name schema.PlanName, which func(Tombstone) bool) {
	if left := slices.DeleteFunc(l.Closed[name], which); len(left) > 0 {
		l.Closed[name] = left
		return
	}
	delete(l.Closed, name)
}

// Repeated notes that the journal removes a plan that closed at that moment and is gone. It was
// published with keep, unless the tombstone comes from the bucket, which was ahead of the journal.
// It returns the tombstones that have changed.
func (l *Tombstones) Repeated(name schema.PlanName, at unit.Moment) (changed []state.Tombstone) {
	for i := range l.Closed[name] {
		c := &l.Closed[name][i]
		switch {
		case c.At != at:
		case c.stored:
			c.stored = false
		case !c.Kept:
			c.Kept = true
			changed = append(changed, c.Tombstone)
		}
	}
	return changed
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
	for i := range l.rows {
		l.rows[i].until.Cut(until)
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
		if c := &l.Closed[name][i]; c.Definition == definition && now < c.until {
			return c
		}
	}
	return nil
}
