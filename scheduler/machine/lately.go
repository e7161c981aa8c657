package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// closedFor is how long a plan that closed by itself is remembered, and
	// closedAtMost how many are.
	closedFor    = 2 * time.Minute
	closedAtMost = 100_000
)

// lately are the plans that closed by themselves a short while ago. Who created one
// and heard no answer says it again with on_conflict keep, and then it must not run a
// second time (DESIGN section 6). The rows that take plans away carry the moment, so
// that who takes over remembers them too.
type lately struct {
	key    [16]byte
	closed map[schema.PlanName]closed
	order  []ending // oldest first
}

// closed is when a plan closed, and the hash of its definition.
type closed struct {
	at         moment
	definition uint64
}

type ending struct {
	name schema.PlanName
	at   moment
}

// add notes that a plan closed at a moment, whose definition has this hash, and lets go
// of what closed too long ago.
func (l *lately) add(name schema.PlanName, definition uint64, at moment) {
	for len(l.order) > 0 && (len(l.order) >= closedAtMost || l.order[0].at.after(closedFor) <= at) {
		oldest := l.order[0]
		l.order = l.order[1:]
		if l.closed[oldest.name].at == oldest.at {
			delete(l.closed, oldest.name)
		}
	}
	l.closed[name] = closed{at, definition}
	l.order = append(l.order, ending{name, at})
}

// named reports that a plan of this name closed lately: one task has an id, whatever is
// said of it the next time.
func (l *lately) named(name schema.PlanName, now moment) bool {
	c, ok := l.closed[name]
	return ok && now < c.at.after(closedFor)
}

// has reports that a plan of this name and definition closed lately.
func (l *lately) has(name schema.PlanName, raw []byte, now moment) bool {
	c, ok := l.closed[name]
	return ok && now < c.at.after(closedFor) && c.definition == hashOf(&l.key, raw)
}
