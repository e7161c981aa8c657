package verdict

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// A leader explains between two events, so that looking far ahead would hold up due plans. Counting
// the occurrences of twenty years takes a tenth of a millisecond. Those of a schedule whose calendars
// move occurrences are counted one by one, though, of which five hundred take some two milliseconds.
const (
	mostYears = 20
	mostSteps = 500
)

// farthest is how far ahead the times of occurrences are computed, counted from the next one where
// that lies ahead, because those before it need no count.
func (r *reading) farthest() time.Time {
	from := r.now.Time()
	if next, ok := r.p.Schedule.Next(r.p.Prev, time.Time{}); ok && next.At.After(from) {
		from = next.At
	}
	return from.AddDate(mostYears, 0, 0)
}

// moves reports that calendars move occurrences of p.
func moves(p *state.Plan) bool {
	over := p.Schedule.Exclusion()
	return over != nil && over.Moves && !p.Schedule.Continuous()
}

// step looks at the occurrences that were not taken off the schedule yet, one by one, for the first
// one that is wanted; before is the one before it. With all, found with K 0 means that there is none;
// else it may be too far away.
func (r *reading) step(wanted func(calendar.Due) bool) (before, found calendar.Due, all bool) {
	before = r.p.Prev
	for range mostSteps {
		next, ok := r.p.Schedule.Next(before, time.Time{})
		switch {
		case !ok:
			return before, calendar.Due{}, true
		case wanted(next):
			return before, next, true
		}
		before = next
	}
	return before, calendar.Due{}, false
}
