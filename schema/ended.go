package schema

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Ends returns how many occurrences a plan has until it comes to an end by itself; 0: it
// goes on for ever, or until end_at.
func (p *Plan) Ends() int64 {
	switch {
	case p.isOnce():
		return 1
	case p.PlanRepet != nil && *p.PlanRepet > 0:
		return *p.PlanRepet
	default:
		return 0
	}
}

// EndedWith reports that a result of a plan which is gone shows that it came to its end by
// itself as p defines it: all its occurrences are settled, and the same command with the
// same messages was run last, at a time that p has. An only occurrence that was skipped
// has not been. Fields that are not in results, such as most of the schedule, are not
// compared.
//
// A run that a user cancelled counts as one. So does the last one of a plan that was
// removed while it ran, because its result does not distinguish the two.
func (p *Plan) EndedWith(r *Result) bool {
	n := p.Ends()
	var all bool
	switch {
	case n == 0 || !r.Final:
	case p.isOnce() && r.Trigger != TriggerManual:
		all = r.State != StateSkipped
	case p.isOnce(): // beside the schedule, so its time is not the plan's own
		all = r.RealRepet == n
	default:
		all = r.RealRepet+r.SkipNum == n
	}
	return all && p.RanAs(r)
}

func (p *Plan) isOnce() bool {
	return p.PlanType == "" || p.PlanType == TypeNone || p.PlanType == TypeTime
}

// RanAs reports that a result is of the command and the messages of p, at a time that p has.
func (p *Plan) RanAs(r *Result) bool {
	return r.Command == p.Command &&
		(r.Messages == nil || slices.EqualFunc(r.Messages, p.Messages, p.sameMessage)) && // absent: not kept
		p.hasTime(r)
}

// sameMessage compares a message of a result, of which headers may be hidden.
func (p *Plan) sameMessage(was, is wire.Value) bool {
	if p.Station == HTTPStation {
		was, is = hideCall(was), hideCall(is)
	}
	return wire.Same(was, is)
}

// hasTime reports that p can have been due when the occurrence of a result was. A run that
// was requested beside the schedule has no such time.
func (p *Plan) hasTime(r *Result) bool {
	at := r.PlanTime
	switch {
	case p.PlanType == TypeTime:
		late := at.Sub(p.PlanTime) // a due time is rounded up to a microsecond
		return r.Trigger != TriggerManual && late >= 0 && late < time.Microsecond
	case r.Trigger == TriggerManual:
		return p.StartAt.IsZero() && p.EndAt.IsZero() || p.PlanType == "" || p.PlanType == TypeNone
	default:
		return !at.Before(p.StartAt) && (p.EndAt.IsZero() || !at.After(p.EndAt))
	}
}
