package verdict

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// open explains an occurrence that fell due and is not settled.
func (r *reading) open(o *state.Occurrence) {
	r.of(o)
	for i := len(o.Live) - 1; i >= 0; i-- {
		if !o.Live[i].Undelivered() {
			r.execution(o, o.Live[i])
			return
		}
	}
	r.held(o)
}

// execution explains an execution of o that has not ended.
func (r *reading) execution(o *state.Occurrence, x *state.Execution) {
	r.of(o)
	if r.N = x.N; x.Undelivered() {
		r.held(o)
		return
	}
	r.Verdict = schema.VerdictRuns
	r.Attempt, r.State, r.WorkerID = x.Attempt, x.State, x.Worker
	r.Since, r.Deadline, r.Late = x.Sent.Time(), x.Deadline.Time(), x.Late.Late()
}

// held explains an open occurrence that does not run.
func (r *reading) held(o *state.Occurrence) {
	h := admission.HoldOf(r.m, r.p, o, r.now)
	w := admission.WaitOfOpen(r.m, r.p, o, r.now)
	switch {
	case h.For == admission.Close:
		r.Verdict, r.Reason, r.Because = schema.VerdictNever, schema.ReasonClosed, admission.ClosedBy(r.p)
	case w == nil: // it begins within this moment, when results are stored, or at a time that was asked for
		r.Verdict = schema.VerdictNotDue
		if h.Until != 0 {
			r.PlanTime = h.Until.Time()
		}
	default:
		r.waits(w, h.By)
	}
}

// waits explains a wait by its cause and its obstacle.
func (r *reading) waits(w *schema.Waits, by admission.Ref) {
	r.Verdict, r.Waits = schema.VerdictWaits, w
	switch w.For {
	case schema.WaitResume:
		r.Because = admission.PausedBy(r.p)
	case schema.WaitPerson:
		r.stopped()
	case schema.WaitRoom, schema.WaitTurn, schema.WaitLock:
		r.Because = by.Because()
	}
}
