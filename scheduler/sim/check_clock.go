package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// slewed is the largest step back of a clock that leaves plans uncorrected.
const slewed = time.Second

// keepsTime checks that no plan waits for a time that only a fast clock has shown: by the clock of
// an idle leader, each is due again within about two periods, for any history of the clocks.
func (b *planModel) keepsTime(l *leader, views map[schema.PlanName]command.PlanView) {
	now := l.n.clock()
	if wake := l.m.Wake(); !wake.IsZero() && !wake.After(now) || l.m.WentBack(now) && !b.w.planted(NeverBack) {
		return
	}
	for _, name := range slices.SortedFunc(maps.Keys(views), compareNames) {
		book, next := b.current[name], views[name].State.PlanTime
		if book == nil || book.inbox != nil || book.plan.HasCalendars() || book.record.SkipTo != 0 || next.IsZero() {
			continue
		}
		if last, ok := lastDue(&book.plan, now); ok && next.After(last.Add(slewed)) {
			b.w.fail("%s: its clock shows %v, and it is due at %v: occurrences would be due before %v", name, now, next, last)
		}
	}
}

// lastDue is the latest time at which a plan is due again, made at a moment: that of its second
// occurrence, because the first may have been taken early; on a grid that begins later, that of its
// third, because its first may be up to a step later. False: it has none, or each is due when the
// one before is settled.
func lastDue(p *schema.Plan, made time.Time) (due time.Time, ok bool) {
	occurrences := 2
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
	schedule, err := calendar.Compile(spec, made)
	if err != nil {
		return due, false
	}
	if schedule.IsGrid() && p.StartAt.After(made) {
		occurrences++
	}
	n := 0
	for d := range schedule.Occurrences(false, made) {
		if n++; n == occurrences {
			return d.At, true
		}
	}
	return due, false
}
