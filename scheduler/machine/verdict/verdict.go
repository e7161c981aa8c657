package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Of returns the verdict on the occurrence or execution that q asks for, of p, a plan of m. Without a
// verdict it is settled, and its result has the rest. The error is that there never was such an
// execution.
func Of(m *partition.Partition, p *state.Plan, q *command.ExplainPlan, now unit.Moment) (schema.Explanation, error) {
	r := reading{m: m, p: p, now: now}
	r.Station, r.PlanID = p.Name.Station, p.Name.PlanID
	r.Next = r.nextRun()
	switch {
	case q.N > p.N:
		return r.Explanation, noRun(p, q.N)
	case q.N != 0:
		r.run(q.N)
	case q.Occurrence != 0:
		r.occurrence(q.Occurrence)
	case !q.At.IsZero():
		r.at(q.At)
	default:
		r.first()
	}
	return r.Explanation, nil
}

func noRun(p *state.Plan, n int64) error {
	message := fmt.Sprintf("there is no run %d of %s yet: the last number that it gave is %d", n, p.Name, p.N)
	return &schema.Error{Code: schema.CodeNotFound, Field: "n", Message: message}
}

// A reading is an explanation in the making.
type reading struct {
	m   *partition.Partition
	p   *state.Plan
	now unit.Moment
	schema.Explanation
}

// nextRun is the next occurrence that will run as things stand; nil: there is none, or it is due
// when the one before has ended.
func (r *reading) nextRun() *schema.Next {
	p := r.p
	if p.Closing || p.Suspension != nil || p.Schedule.Continuous() && p.Busy() != state.Idle {
		return nil
	}
	next := state.NextRun(p, r.now)
	if p.Inbox == nil && next.K == p.Next.K && unit.DueMoment(next.At) <= r.now && r.isLost() {
		next, _ = p.Schedule.NextRun(p.Prev, (r.now + 1).Time(), calendar.Horizon(r.now.Time()))
	}
	if next.K == 0 {
		return nil
	}
	return &schema.Next{PlanTime: next.At, Occurrence: next.K}
}

// isLost reports that the occurrences of the plan that are due will not run, because an execution
// of it goes on.
func (r *reading) isLost() bool {
	return !r.p.Schedule.Continuous() && admission.HasToWait(r.m, r.p) && !r.queues()
}

func (r *reading) queues() bool {
	return admission.Queues(r.m, r.p) || r.m.TermsOf(r.p).CatchUp == schema.MissedFull
}

// run explains the execution n, or the run that was triggered as n.
func (r *reading) run(n int64) {
	r.N = n
	for _, o := range r.p.Open {
		for _, x := range o.Live {
			if x.N == n {
				r.execution(o, x)
				return
			}
		}
		switch {
		case o.Trigger == n && !o.Knows(n):
			r.open(o)
			return
		case o.Knows(n):
			r.of(o)
			r.N = n
			return
		}
	}
}

// of names an open occurrence.
func (r *reading) of(o *state.Occurrence) {
	r.Occurrence, r.PlanTime, r.MovedFrom = o.K, o.Due.Time(), o.From.Time()
	r.N = cmp.Or(o.Newest(), o.Trigger)
}

// occurrence explains the occurrence k.
func (r *reading) occurrence(k int64) {
	i := slices.IndexFunc(r.p.Open, func(o *state.Occurrence) bool { return o.K == k && o.Trigger == 0 })
	switch {
	case i >= 0:
		r.open(r.p.Open[i])
	case k <= r.p.Prev.K:
		r.Occurrence, r.PlanTime = k, r.takenAt(k)
	default:
		r.scheduled(k)
	}
}

// first explains the occurrence that is under way, or else the next one.
func (r *reading) first() {
	p := r.p
	switch {
	case p.IsPaused():
		r.suspended(schema.WaitResume)
		for _, o := range p.Open {
			if o.Trigger == 0 && !o.Executing() {
				r.open(o)
				break
			}
		}
	case len(p.Open) > 0:
		r.open(p.Open[0])
	case p.NeedsPerson():
		r.suspended(schema.WaitPerson)
	case r.Next != nil:
		r.scheduled(r.Next.Occurrence)
	case p.Inbox != nil && !p.Closing:
		r.Verdict, r.Reason = schema.VerdictNotDue, schema.ReasonInbox
	case p.Skip != nil && p.Skip.K != state.SkipAll && p.Next.K != 0 && p.Next.K <= p.Skip.K:
		r.scheduled(p.Next.K) // because it names the skip, which reaches to the end of the schedule
	default:
		r.never(p.Prev.K + 1)
	}
}

// suspended explains a plan that is not served, with nothing due.
func (r *reading) suspended(why schema.WaitFor) {
	r.Verdict, r.Waits = schema.VerdictWaits, &schema.Waits{For: why}
	if why == schema.WaitResume {
		r.Because = admission.PausedBy(r.p)
		r.Waits.Since = r.Because.Since
		return
	}
	r.Waits.Since = admission.StoppedAt(r.p).Time()
	r.stopped()
}

// stopped explains why a person has to act.
func (r *reading) stopped() {
	why := schema.ReasonPlanError
	if r.p.Suspended().Status == schema.StatusPending {
		why = schema.ReasonPending
	}
	r.Reason = cmp.Or(r.p.Suspended().Reason, why)
}
