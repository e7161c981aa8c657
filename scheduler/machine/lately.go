package machine

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// closedFor is how long a plan that closed by itself is remembered, closedAtMost how
	// many are, and closedOfName how many of one name: they are looked through.
	closedFor    = 2 * time.Minute
	closedAtMost = 100_000
	closedOfName = 16
)

// lately are the plans that closed by themselves a short while ago. Who created one and
// heard no answer says it again with on_conflict keep, and then it must not run a second
// time: neither by what is said again, nor by the request of before, which may come last.
// The rows that take plans away carry the moment, so that who follows the journal remembers
// them too.
type lately struct {
	key    [16]byte
	closed map[schema.PlanName][]closed // of a name one for each definition, the newest last
	order  []ending                     // in the order of the journal
}

// closed is when a plan closed, as its row says, until when it is remembered, and the hash
// of its definition. Kept says that it was said with keep, and so perhaps again: what comes
// without may be of before.
type closed struct {
	at, until  unit.Moment
	definition uint64
	kept       bool
}

type ending struct {
	name  schema.PlanName
	at    unit.Moment
	until unit.Moment
}

// add notes that a plan closed at a moment, whose definition has this hash, and lets go
// of what closed too long ago.
func (l *lately) add(name schema.PlanName, definition uint64, kept bool, at unit.Moment) {
	for len(l.order) > 0 && (len(l.order) >= closedAtMost || l.order[0].until <= at) {
		oldest := l.order[0]
		l.order = l.order[1:]
		l.drop(oldest.name, func(c closed) bool { return c.at == oldest.at })
	}
	l.drop(name, func(c closed) bool {
		kept = kept || c.definition == definition && c.kept
		return c.definition == definition
	})
	before := l.closed[name]
	if len(before) == closedOfName {
		before = slices.Delete(before, 0, 1)
	}
	until := at.After(closedFor)
	l.closed[name] = append(before, closed{at, until, definition, kept})
	l.order = append(l.order, ending{name, at, until})
}

// drop lets go of some of a name.
func (l *lately) drop(name schema.PlanName, which func(closed) bool) {
	if left := slices.DeleteFunc(l.closed[name], which); len(left) > 0 {
		l.closed[name] = left
		return
	}
	delete(l.closed, name)
}

// keep notes that the plan which closed at that moment was said with keep.
func (l *lately) keep(name schema.PlanName, at unit.Moment) {
	for i := range l.closed[name] {
		if c := &l.closed[name][i]; c.at == at {
			c.kept = true
		}
	}
}

// setBack has no plan remembered for longer than if it closed now, since the clock was set
// back. When it closed stays as its row says, by which followers know it.
func (l *lately) setBack(now unit.Moment) {
	until := now.After(closedFor)
	for i := range l.order { // later ones may have closed by a clock that was right
		e := &l.order[i]
		if e.until <= until {
			continue
		}
		e.until = until
		for j := range l.closed[e.name] {
			l.closed[e.name][j].until.Cut(until)
		}
	}
}

// named reports that a plan of this name closed lately: one task has an id, whatever is
// said of it the next time.
func (l *lately) named(name schema.PlanName, now unit.Moment) bool {
	return slices.ContainsFunc(l.closed[name], func(c closed) bool { return now < c.until })
}

// find returns what is known of a plan of this name and definition that closed lately; nil:
// there was none.
func (l *lately) find(name schema.PlanName, raw []byte, now unit.Moment) *closed {
	if len(l.closed[name]) == 0 {
		return nil
	}
	definition := event.HashOf(&l.key, raw)
	for i := range l.closed[name] {
		if c := &l.closed[name][i]; c.definition == definition && now < c.until {
			return c
		}
	}
	return nil
}

// doneLately answers for a plan that closed by itself a short while ago, if c is what made
// it: said again with keep, or said before somebody did that, and late.
func (t *turn) doneLately(c schema.CreatePlan, name schema.PlanName) (schema.Created, bool) {
	keeps := c.Definition.Plan.OnConflict == schema.ConflictKeep
	was := t.lately.find(name, c.Definition.Raw, t.now)
	switch {
	case was != nil && was.kept:
	case was != nil && keeps:
		was.kept = true
		t.b.AppendRow(event.RowDefinition, name, int64(was.at), nil)
	case keeps && c.Task && t.lately.named(name, t.now):
	default:
		return schema.Created{}, false
	}
	return schema.Created{PlanID: name.PlanID, Station: name.Station, State: schema.StatusClosed}, true
}

// keep notes that p is said with keep, by who has this definition of it.
func (t *turn) keep(p *state.Plan, raw []byte) {
	if !p.Kept && !p.Closing && t.sameDefinition(p, raw) {
		p.Kept = true
		t.touch(p)
	}
}
