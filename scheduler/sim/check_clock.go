package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// slewed is by how much a clock may go back before plans are set right for it.
const slewed = time.Second

// keepsTime checks that no plan waits for a time that a clock once showed which was ahead:
// by the clock of a leader that has nothing to do, each is due again within two periods,
// whatever the clocks did before.
func (c *checker) keepsTime(l *leader, views map[schema.PlanName]schema.PlanView) {
	now := l.n.clock()
	if wake := l.m.Wake(); !wake.IsZero() && !wake.After(now) || l.m.WentBack(now) && !c.w.planted(NeverBack) {
		return
	}
	for _, name := range slices.SortedFunc(maps.Keys(views), compareNames) {
		book, next := c.current[name], views[name].State.PlanTime
		if book == nil || book.inbox != nil || book.record.SkipTo != 0 || next.IsZero() {
			continue
		}
		if second, ok := secondDue(&book.plan, now); ok && next.After(second.Add(slewed)) {
			c.w.fail("%s: its clock shows %v, and it is due at %v: occurrences would be due before %v", name, now, next, second)
		}
	}
}

// secondDue is when the second occurrence of a plan would be due that was made at a moment;
// false: there are no two, or each is due when the one before is settled.
func secondDue(p *schema.Plan, made time.Time) (due time.Time, ok bool) {
	spec := calendar.SpecOf(p)
	switch p.PlanType {
	case schema.TypeNone, schema.TypeTime:
		return due, false
	case schema.TypeSecond, schema.TypeMinute, schema.TypeHour, schema.TypeDay:
		if spec.Value == 0 {
			return due, false
		}
	}
	spec.Repet = -1
	times, err := calendar.Occurrences(spec, false, made)
	if err != nil {
		return due, false
	}
	n := 0
	for d := range times {
		if n++; n == 2 {
			return d.At, true
		}
	}
	return due, false
}
