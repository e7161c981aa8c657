package state

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// NextDue returns the next due time of p that is to run, as far as is known now; the zero time if
// there is none.
func NextDue(p *Plan, now unit.Moment) time.Time {
	known, from, search := nextRun(p, now)
	if !search {
		return known.At
	}
	next, _ := p.Schedule.NextRunAt(from.prev, from.notBefore, calendar.Horizon(p.Next.At))
	return next
}

// NextRun returns the occurrence of [NextDue]; the zero Due if there is none.
func NextRun(p *Plan, now unit.Moment) calendar.Due {
	known, from, search := nextRun(p, now)
	if !search {
		return known
	}
	next, _ := p.Schedule.NextRun(from.prev, from.notBefore, calendar.Horizon(p.Next.At))
	return next
}

// mostLast bounds the occurrences among which the last one is looked for.
const mostLast = 100

// LastDue is when the last occurrence of p is due that has yet to come; the zero time: there is none, or
// too many come before.
func LastDue(p *Plan) time.Time {
	left := p.Schedule.Last() - p.Prev.K
	if p.Inbox != nil || p.Next.K == 0 || p.Schedule.Continuous() || left > mostLast {
		return time.Time{}
	}
	last, _ := p.Schedule.Nth(p.Prev, left)
	return last.At
}

// A place is where a schedule is asked on: behind an occurrence, at a moment or later.
type place struct {
	prev      calendar.Due
	notBefore time.Time
}

// nextRun returns the next occurrence of p that is to run, or, with search, the place in its schedule
// from which on to look for it.
func nextRun(p *Plan, now unit.Moment) (known calendar.Due, from place, search bool) {
	if p.Inbox != nil {
		at := InboxComes(p)
		if at == 0 {
			return calendar.Due{}, from, false
		}
		return calendar.Due{K: p.Prev.K + 1, At: at.Time()}, from, false
	}
	if p.Next.K == 0 || p.Skips() < 0 {
		return calendar.Due{}, from, false
	}
	from.prev = p.Prev
	if p.Skip != nil {
		from.prev = p.Skip.Due
	}
	switch {
	case p.Schedule.Continuous():
		from.notBefore = p.Next.At
	case p.IsPaused():
		from.notBefore = (now + 1).Time() // because the due occurrences are skipped at the latest at its resume
	case p.Schedule.Exclusion() != nil:
	case p.Skip == nil:
		return p.Next, from, false
	}
	return calendar.Due{}, from, true
}

// InboxComes is when items are handed over next, as far as is known: during a hand-over, the
// end of its lock.
func InboxComes(p *Plan) unit.Moment {
	in := p.Inbox
	at := in.At
	for _, o := range p.Open {
		if in.Asked {
			break
		}
		switch {
		case o.Executing() && o.Live[0].Deadline != 0:
			at = o.Live[0].Deadline
		case !o.Executing() && o.At != 0:
			at = o.At
		}
	}
	if in.Empty() || in.Manner == schema.MannerHold && len(p.Open) == 0 {
		return 0
	}
	return at
}

// DueInOrder is the moment by which p is placed in the order of due times; 0: it is not due, or not
// served.
func DueInOrder(p *Plan, now unit.Moment) unit.Moment {
	if p.Suspension != nil || p.Removed {
		return 0
	}
	return unit.DueMoment(NextDue(p, now))
}
