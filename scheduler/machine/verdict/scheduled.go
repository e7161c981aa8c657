package verdict

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// scheduled explains the occurrence k, which was not taken off the schedule yet.
func (r *reading) scheduled(k int64) {
	p := r.p
	d, exists := r.due(k)
	fell := exists && !d.At.IsZero() && unit.DueMoment(d.At) <= r.now && p.Inbox == nil && !p.Schedule.Continuous()
	if r.Occurrence = k; !exists || p.Closing {
		r.never(k)
		return
	}
	if r.PlanTime = d.At; !d.At.IsZero() && p.Inbox == nil {
		r.MovedFrom = p.Schedule.MovedFrom(d.At)
	}
	switch {
	case p.IsPaused() && fell:
		r.skipped(schema.ReasonPaused, admission.PausedBy(p))
	case p.IsPaused():
		r.suspended(schema.WaitResume)
		r.Waits.Occurrence = k
	case p.NeedsPerson():
		r.suspended(schema.WaitPerson)
		r.Waits.Occurrence = k
	case !d.At.IsZero() && p.Inbox == nil && !p.Schedule.Continuous() && p.Schedule.Excludes(d.At):
		r.Verdict, r.Reason, r.Because = schema.VerdictNever, schema.ReasonCalendar, admission.ExcludedBy(p, d)
		if fell {
			r.Verdict = schema.VerdictSkipped
		}
	case p.Skip != nil && k <= p.Skip.K:
		r.Verdict, r.Reason, r.Because = schema.VerdictNotDue, schema.ReasonManual, admission.SkippedBy(p, leftBehind(p, k))
		if fell {
			r.Verdict = schema.VerdictSkipped
		}
	case fell:
		r.fell(d)
	default:
		r.Verdict = schema.VerdictNotDue
		if p.Inbox != nil && d.At.IsZero() {
			r.Reason = schema.ReasonInbox
		}
	}
}

// leftBehind is how many skips that a user asked for are left behind the occurrence k; -1: all.
func leftBehind(p *state.Plan, k int64) int64 {
	if p.Skip.K == state.SkipAll {
		return -1
	}
	return p.Skip.K - k
}

func (r *reading) skipped(why schema.Reason, because *schema.Because) {
	r.Verdict, r.Reason, r.Because = schema.VerdictSkipped, why, because
}

// fell explains an occurrence that has fallen due and was not taken off the schedule. It has its
// turn later, or is lost to the execution that goes on, whose result will report it.
func (r *reading) fell(d calendar.Due) {
	v := admission.VerdictOn(r.m, r.p)
	switch {
	case r.isLost():
		r.skipped(schema.ReasonPast, admission.Oldest(r.p).Because())
	case admission.HasToWait(r.m, r.p):
		w := &schema.Waits{For: admission.TurnOf(r.m, r.p), Occurrence: d.K, Since: d.At}
		if w.For == schema.WaitRoom {
			v.By = admission.WaitsForLimit(r.m, r.p)
		}
		r.waits(w, v.By)
	case v.Do == admission.Skip:
		r.skipped(v.Reason, v.By.Because())
	default: // it begins within this moment, or when results are stored
		r.Verdict = schema.VerdictNotDue
	}
}

// never explains that there is no occurrence k, and will be none.
func (r *reading) never(k int64) {
	p := r.p
	r.Verdict, r.Reason = schema.VerdictNever, schema.ReasonEndAt
	switch {
	case p.Closing:
		r.Reason, r.Because = schema.ReasonClosed, admission.ClosedBy(p)
	case p.Skip != nil && p.Skip.K == state.SkipAll:
		r.Reason, r.Because = schema.ReasonManual, admission.SkippedBy(p, -1)
	case k > p.Schedule.Last() && !p.Schedule.IsCut():
		r.Reason = schema.ReasonRepetitions
	case k > p.Schedule.Last(): // its end comes before
	case p.Next.K != 0 && p.Schedule.Exclusion() != nil:
		r.Reason, r.Because = schema.ReasonCalendar, admission.ExcludedBy(p, p.Next)
	}
}

// due is the occurrence k, which was not taken off the schedule yet, with its time if that is
// known; false: there is none.
func (r *reading) due(k int64) (calendar.Due, bool) {
	p := r.p
	switch {
	case p.Inbox != nil:
		if r.Next != nil && r.Next.Occurrence == k {
			return calendar.Due{K: k, At: r.Next.PlanTime}, true
		}
		return calendar.Due{K: k}, true
	case k > p.Schedule.Last(), p.Next.K == 0:
		return calendar.Due{}, false
	case p.Schedule.Continuous() && (k != p.Next.K || p.Busy() != state.Idle):
		return calendar.Due{K: k}, true
	case k == p.Next.K:
		return p.Next, true
	}
	return r.ahead(k)
}

// ahead is due of an occurrence behind the next one.
func (r *reading) ahead(k int64) (calendar.Due, bool) {
	p := r.p
	if moves(p) {
		_, found, all := r.step(func(d calendar.Due) bool { return d.K >= k })
		if found.K == 0 && !all {
			return calendar.Due{K: k}, true
		}
		return found, found.K == k
	}
	last := p.Prev
	for _, end := range [...]time.Time{r.now.Time().AddDate(1, 0, 0), r.farthest()} { // because most questions are about near occurrences
		if _, last = p.Schedule.Passed(p.Prev, end); k <= last.K {
			d, ok := p.Schedule.Nth(p.Prev, k-p.Prev.K)
			return d, ok && d.K == k
		}
	}
	_, more := p.Schedule.Next(last, time.Time{})
	return calendar.Due{K: k}, more
}
