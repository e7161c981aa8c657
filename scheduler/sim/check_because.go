package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// because checks the cause of a result: a run that it names exists, and its occurrence was open
// then, or failed; an occurrence that it gives way to is later; and the requester is known from
// its cause.
func (l *life) because(r *schema.Result) {
	b := r.Because
	if b == nil {
		return
	}
	if r.Reason == schema.ReasonManual && (r.By != b.By || r.Note != b.Note) {
		l.w.fail("%s: result %d is by %q, because of %q", l.name, r.N, r.By, b.By)
	}
	switch {
	case l.restored:
	case b.N == 0 && b.Occurrence != 0 && r.Occurrence > 0 && r.Reason == schema.ReasonOverlap:
		if b.State == "" && b.Occurrence <= r.Occurrence {
			l.w.fail("%s: occurrence %d gives way to occurrence %d", l.name, r.Occurrence, b.Occurrence)
		}
	case b.N == 0:
	case r.Reason == schema.ReasonFailure:
		if was, ended := l.results[b.N]; !ended || was.State == schema.StateOK || was.Occurrence != b.Occurrence {
			l.w.fail("%s: occurrence %d is skipped because run %d failed, which is %q", l.name, r.Occurrence, b.N, was.State)
		}
	default:
		l.wasOpen(r, b)
	}
}

// wasOpen checks that the occurrence of a run that was in the way is open, or was settled in this
// very moment.
func (l *life) wasOpen(r *schema.Result, b *schema.Because) {
	of, exists := l.executions[b.N]
	if !exists {
		if b.Occurrence != 0 { // a triggered run may wait for its first execution
			l.w.fail("%s: result %d (%s) is because of run %d, which does not exist", l.name, r.N, r.Reason, b.N)
		}
		return
	}
	if max(of[0], 0) != b.Occurrence {
		l.w.fail("%s: result %d (%s) is because of run %d of occurrence %d, which is of %d", l.name, r.N, r.Reason, b.N, b.Occurrence, of[0])
	}
	if !l.final[of[0]] {
		return
	}
	for _, was := range l.results {
		if was.Occurrence == of[0] && was.Final && !was.EndTime.Equal(r.EndTime) {
			l.w.fail("%s: result %d (%s) is because of occurrence %d, which was settled before, at %v", l.name, r.N, r.Reason, of[0], was.EndTime)
		}
	}
}

// clockSlack is more than clocks of nodes differ by.
const clockSlack = time.Minute

// lateness checks that a result has the causes of its late beginning exactly when it was late,
// and that they do not take more time than there was. The time before a plan was accepted has no
// cause.
func (l *life) lateness(r *schema.Result) {
	late := r.ExecTime.Sub(r.PlanTime)
	if r.ExecTime.IsZero() || l.restored || l.inbox != nil {
		return
	}
	accepted := r.PlanTime.Before(l.made.Add(clockSlack))
	if isLate := late > time.Second; r.Late != nil && !isLate || r.Late == nil && isLate && !accepted {
		l.w.fail("%s: execution %d began %v late, and its result says %+v", l.name, r.N, late, r.Late)
	}
	if r.Late == nil {
		return
	}
	d, sum := r.Late, 0.0
	for _, s := range []float64{d.Worker, d.Claim, d.Room, d.Turn, d.Retry, d.Jitter, d.Lock, d.Person, d.Resume, d.Journal, d.Absent} {
		if sum += s; s < 0 {
			l.w.fail("%s: execution %d waited for %+v", l.name, r.N, *r.Late)
		}
	}
	if sum > late.Seconds()+0.001 {
		l.w.fail("%s: execution %d began %v late, because of %+v", l.name, r.N, late, *r.Late)
	}
}
