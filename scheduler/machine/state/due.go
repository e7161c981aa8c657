package state

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// NextDue returns the next due time of p that is to run, as far as is known now, the zero time
// if there is none.
func NextDue(p *Plan, now unit.Moment) time.Time { return NextRun(p, now).At }

// NextRun returns the next occurrence of p that is to run, as far as is known now, with its due
// time; the zero Due if there is none.
func NextRun(p *Plan, now unit.Moment) calendar.Due {
	if p.Inbox != nil {
		at := InboxComes(p)
		if at == 0 {
			return calendar.Due{}
		}
		return calendar.Due{K: p.Prev.K + 1, At: at.Time()}
	}
	if p.Next.K == 0 || p.Skips() < 0 {
		return calendar.Due{}
	}
	prev := p.Prev
	if p.Skip != nil {
		prev = p.Skip.Due
	}
	notBefore := time.Time{}
	switch {
	case p.Schedule.Continuous():
		notBefore = p.Next.At
	case p.IsPaused():
		notBefore = (now + 1).Time() // because the due occurrences are skipped at the latest at its resume
	case p.Schedule.Exclusion() != nil:
	case p.Skip == nil:
		return p.Next
	}
	next, _ := p.Schedule.NextRun(prev, notBefore, calendar.Horizon(p.Next.At))
	return next
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
