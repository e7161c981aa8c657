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

// CalendarRecord is a calendar as it is stored.
type CalendarRecord struct {
	schema.Calendar
	// Replaced are its former versions, in order, as long as they may count for an occurrence.
	Replaced []ReplacedCalendar `json:"replaced,omitempty"`
}

// ReplacedCalendar is a calendar that was replaced.
type ReplacedCalendar struct {
	Until    time.Time       `json:"until"` // from then on the next one counts; a whole second
	Calendar schema.Calendar `json:"calendar"`
}

// CalendarRecordOf is the record of a calendar that was others before.
func CalendarRecordOf(c *schema.Calendar, pasts []exclude.Past) *CalendarRecord {
	r := &CalendarRecord{Calendar: *c}
	for _, p := range pasts {
		r.Replaced = append(r.Replaced, ReplacedCalendar{Until: time.Unix(p.Until, 0).UTC(), Calendar: *p.Of.Record})
	}
	return r
}

// Pasts are the former versions of the calendar of a record.
func (r *CalendarRecord) Pasts() (pasts []exclude.Past, err error) {
	for i := range r.Replaced {
		of, err := exclude.New(&r.Replaced[i].Calendar)
		if err != nil {
			return nil, err
		}
		pasts = append(pasts, exclude.Past{Until: r.Replaced[i].Until.Unix(), Of: of})
	}
	return pasts, nil
}

// Rule is the rule of calendars that applies to p's due times; nil: there is none.
func (p *Plan) Rule() *exclude.Rule { return exclude.RuleIn(p.Schedule) }

// CalendarsOf are the calendars that apply to p's due times; nil: there are none.
func CalendarsOf(p *Plan) *exclude.Content { return exclude.ContentIn(p.Schedule) }

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
