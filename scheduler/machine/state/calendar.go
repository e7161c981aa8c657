package state

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Calendar is a row like a station's.
type Calendar struct {
	ID     string
	Record *schema.Calendar // nil: it is gone
	Dirty  *DirtyRow        // the bucket has an older record
}

// Rule is the rule of calendars that applies to p's due times; nil: there is none.
func (p *Plan) Rule() *exclude.Rule { return exclude.RuleIn(p.Schedule) }

// ExcludesNext reports that p's next occurrence is to be skipped, because calendars exclude it.
func (p *Plan) ExcludesNext() bool {
	return p.Next.K != 0 && !p.Schedule.Continuous() && p.Schedule.Excludes(p.Next.At)
}

// WaitsFor reports that p, whose occurrences follow each other, waits on at now, because calendars
// exclude the time for which it has waited: no other was found in five years.
func (p *Plan) WaitsFor(now unit.Moment) bool {
	if !p.Schedule.Continuous() || !p.Schedule.Excludes(p.Next.At) {
		return false
	}
	p.LookAhead(now)
	return unit.DueMoment(p.Next.At) > now
}

// longestExclusion bounds how far back the beginning of an exclusion is looked for.
const longestExclusion = 366 * 24 * time.Hour

// NextExcluded is when to note the occurrences that calendars exclude: the first of one exclusion
// at its due time, then each time that the exclusion has lasted twice as long as at the last note,
// as with a pause, and the rest when the next one is due that runs.
func (p *Plan) NextExcluded() unit.Moment {
	note := unit.DueMoment(p.Next.At)
	if told := p.Prev.At; p.Prev.K != 0 && p.Schedule.Excludes(told) {
		over, first := p.Schedule.Exclusion(), p.Next.At.Unix()
		for earliest := p.Next.At.Add(-longestExclusion).Unix(); first > earliest; {
			piece := over.At(first - 1)
			if piece.Kind == calendar.Free {
				break
			}
			first = piece.From
		}
		if since := time.Unix(first, 0); !told.Before(since) {
			note = max(note, TwiceAsLong(unit.MomentOf(since), unit.MomentOf(told)))
		}
	}
	if run, ok := p.Schedule.NextRunAt(p.Prev, time.Time{}, note.Time()); ok {
		return unit.Sooner(note, unit.DueMoment(run))
	}
	return note
}
