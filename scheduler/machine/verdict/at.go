package verdict

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Near is how far a moment may be from the due time of the occurrence that it means.
const Near = time.Minute

// at explains the occurrence that is due nearest to a moment, or would be without calendars.
func (r *reading) at(t time.Time) {
	found, best := calendar.Due{}, Near+1
	offer := func(k int64, at time.Time) {
		if apart := at.Sub(t).Abs(); k > 0 && !at.IsZero() && apart < best {
			found, best = calendar.Due{K: k, At: at}, apart
		}
	}
	for _, o := range r.p.Open {
		offer(o.K, o.Due.Time())
		offer(o.K, o.From.Time())
	}
	before, after, known := r.around(t)
	offer(before.K, before.At)
	offer(after.K, after.At)
	r.moved(t, offer)
	if found.K != 0 && (!r.p.Closing || found.K <= r.p.Prev.K) {
		r.occurrence(found.K)
		return
	}
	r.nothing(t, before, after, known)
}

// around returns the last occurrence of the schedule before a moment, and the first one from then
// on; K 0: there is none, or, unless known, it may be any.
func (r *reading) around(t time.Time) (before, after calendar.Due, known bool) {
	p := r.p
	taken := p.Prev.K != 0 && !t.After(p.Prev.At)
	switch {
	case p.Inbox != nil, p.Schedule.Continuous(), t.After(r.farthest()), taken && moves(p):
		return calendar.Due{}, calendar.Due{}, false
	case moves(p):
		return r.step(func(d calendar.Due) bool { return !d.At.Before(t) })
	case !taken:
		_, before = p.Schedule.Passed(p.Prev, t)
		after, _ = p.Schedule.Next(p.Prev, t)
		return before, after, true
	}
	// The occurrence was taken off the schedule. Its number is counted back from the last one, because
	// the schedule may have been another before.
	first, ok := p.Schedule.Next(calendar.Due{}, t)
	if !ok {
		return calendar.Due{}, calendar.Due{}, false
	}
	after = calendar.Due{K: p.Prev.K + 1 - p.Schedule.Ahead(p.Prev, t.Add(-time.Nanosecond)), At: first.At}
	if n, last := p.Schedule.Passed(calendar.Due{}, t); n > 0 {
		before = calendar.Due{K: after.K - 1, At: last.At}
	}
	return before, after, true
}

// moved offers the occurrences that would be due near a moment without calendars.
func (r *reading) moved(t time.Time, offer func(k int64, at time.Time)) {
	if !moves(r.p) || t.After(r.farthest()) {
		return
	}
	over := r.p.Schedule.Exclusion()
	own := r.p.Schedule.With(nil)
	after, _ := own.Next(calendar.Due{}, t)
	_, before := own.Passed(calendar.Due{}, t)
	for _, d := range [...]calendar.Due{before, after} {
		if d.K == 0 || d.At.Sub(t).Abs() > Near {
			continue
		}
		moved := d.At
		switch piece := over.At(d.At.Unix()); piece.Kind {
		case calendar.Shifted:
			moved = moved.Add(time.Duration(piece.By) * time.Second)
		case calendar.Gathered:
			moved = time.Unix(piece.By, 0)
		default:
			continue
		}
		is := r.p.Prev
		if !is.At.Equal(moved) {
			_, is, _ = r.around(moved)
		}
		if is.At.Equal(moved) {
			offer(is.K, d.At)
		}
	}
}

// takenAt is the due time of the occurrence k, which was taken off the present schedule; zero: it is
// unknown.
func (r *reading) takenAt(k int64) time.Time {
	p := r.p
	if p.Inbox != nil || p.Schedule.Continuous() || moves(p) || k <= p.Base {
		return time.Time{}
	}
	d, ok := p.Schedule.Nth(calendar.Due{}, k-p.Base)
	if !ok || d.K != k {
		return time.Time{}
	}
	if _, is, _ := r.around(d.At); is.K != k {
		return time.Time{} // the schedule was another
	}
	return d.At
}

// nothing explains a moment at which nothing is due.
func (r *reading) nothing(t time.Time, before, after calendar.Due, known bool) {
	p := r.p
	if before.K != 0 || after.K != 0 {
		r.Because = &schema.Because{Before: nextOf(before), After: nextOf(after)}
	}
	gap := p.Schedule.GapAt(t, Near)
	switch {
	case gap != nil:
		r.Verdict, r.Reason = schema.VerdictNever, schema.ReasonGap
	case p.Closing && unit.DueMoment(t) > r.now:
		r.Verdict, r.Reason, r.Because = schema.VerdictNever, schema.ReasonClosed, admission.ClosedBy(p)
	case after.K == 0 && known:
		r.never(max(before.K, p.Prev.K) + 1)
	default:
		r.Verdict = schema.VerdictNotDue
	}
}

func nextOf(d calendar.Due) *schema.Next {
	if d.K == 0 {
		return nil
	}
	return &schema.Next{PlanTime: d.At, Occurrence: d.K}
}
