package transition

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A RetryDecision is the consequence of an execution that ended badly.
type RetryDecision uint8

const (
	Retry     RetryDecision = iota // the same occurrence, at a later moment
	GiveUp                         // the occurrence is settled as a failure
	AskPerson                      // the plan waits until a person has acted
)

// DecideRetry decides on an execution that ended badly, given whether the retry policy allows
// another one and whether it wants a person to act where it does not.
func DecideRetry(allowed, needManual bool) RetryDecision {
	switch {
	case allowed:
		return Retry
	case needManual:
		return AskPerson
	default:
		return GiveUp
	}
}

// failed ends x with a worker's error. Its occurrence goes back to the queue, its time
// unchanged, after the delay of the retry policy or of the worker's reply. If the worker is unsure
// whether the work was done, on_unknown decides first, as at a deadline.
func (t *Turn) failed(p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome, r *schema.Reply) {
	res.State = schema.StateError
	p.Inbox.Answered()
	if p.Closing {
		t.GiveUp(p, o, x, res) // a closed plan has no retries
		return
	}
	if r.Unsure && endUnknown(t, p, o, x, res) {
		return
	}
	t.bad(p, o, x, res, r.Delay)
}

// timedOut ends x at its deadline; because it is unknown whether x ran, on_unknown decides.
func (t *Turn) timedOut(p *state.Plan, o *state.Occurrence, x *state.Execution, why schema.Reason) {
	o.Doubt(true)
	x.Cut = why == schema.ReasonPing
	// The time spent on waiting for replies in flight costs the plan nothing.
	res := Outcome{State: schema.StateTimeout, Reason: why, worker: x.Worker, until: unit.Sooner(t.ReplyWait.To, t.Now)}
	if p.Closing {
		t.GiveUp(p, o, x, res)
		return
	}
	switch {
	case endUnknown(t, p, o, x, res):
	case x.Adopted && !p.CanResend(x):
		// The station was of another kind, and x may never have been sent. The occurrence is claimed,
		// or dispatched, at once, and no attempt is used up.
		t.retryOrSettle(p, o, x, res, 0, true)
	case why == schema.ReasonPing:
		t.lost(p, o, x, res)
	default:
		t.bad(p, o, x, res, nil)
	}
}

// endUnknown ends x, of which it is unknown whether its work was done, if on_unknown forbids
// another execution; false: it does not, and x goes on.
func endUnknown(t *Turn, p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome) bool {
	switch p.Options().OnUnknown {
	case schema.UnknownSkip:
		res.becomeFailure(schema.ReasonUnknown)
		t.GiveUp(p, o, x, res)
	case schema.UnknownHold:
		res.stops = true
		t.end(p, o, x, res)
		t.suspend(p, o, schema.StatusPending, schema.ReasonUnknown)
	default:
		return false
	}
	return true
}

// bad ends x with an error or a timeout and lets the retry policy decide. A task whose result
// is too large is not retried, because its work is done and the next result would be too large
// as well.
func (t *Turn) bad(p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome, asked *schema.Seconds) {
	o.CountError(x)
	delay, ok := t.TermsOf(p).Retry.Delay(o.TriesOf(x).Errors, t.Share("retry/", p, x.N))
	if asked != nil {
		delay = asked.Duration()
	}
	ok = ok && !(res.overflow && p.IsTask())
	t.retryOrSettle(p, o, x, res, delay, ok)
}

// lost ends x because its worker's pings have stopped. This counts as no error, and other
// workers may claim it after the unexpected delay, max_unexpected times.
func (t *Turn) lost(p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome) {
	tries, terms := o.TriesOf(x), t.TermsOf(p)
	tries.Lost++
	ok := terms.MaxUnexpected < 0 || tries.Lost <= terms.MaxUnexpected
	t.retryOrSettle(p, o, x, res, terms.UnexpectedDelay, ok)
}

// retryOrSettle ends x, which ended badly; ok means that it is retried after a delay.
func (t *Turn) retryOrSettle(p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome, delay time.Duration, ok bool) {
	switch DecideRetry(ok, t.TermsOf(p).Retry.NeedManual) {
	case Retry:
		t.end(p, o, x, res)
		o.PutOff(x, res.State, t.Now, max(1, unit.Moment(0).After(delay)))
		t.NotifyExecution(p, o, x, schema.NoticeRetrying, nil)
	case AskPerson:
		res.stops = true
		t.end(p, o, x, res)
		t.suspend(p, o, schema.StatusPending, schema.ReasonRetries)
	case GiveUp:
		why := schema.ReasonRetries
		if x.Adopted {
			why = schema.ReasonUnsent
		}
		res.becomeFailure(why)
		t.GiveUp(p, o, x, res)
	}
}

// end takes x out of its occurrence, which stays open, and publishes its result.
func (t *Turn) end(p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome) {
	o.Remove(x)
	res.N, res.Attempt, res.sent, res.spent = x.N, x.Attempt, x.Sent, x.Late
	if res.bad() && (!res.Final || p.Inbox != nil) {
		e := asLastError(p, &res, t.Now)
		p.Inbox.Fails(x, e)
		if !res.Final {
			o.LastError = e
		}
	}
	t.Publish(p, res.Of(o))
	t.Free(p, unit.Sooner(res.until, t.Now), admission.RefToExecution(o, x))
}

// GiveUp settles o as a failure; the plan goes on with its next occurrence. The other workers
// of a closed plan may finish their executions.
func (t *Turn) GiveUp(p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome) {
	if p.Closing && len(o.Live) > 1 {
		t.end(p, o, x, res)
		return
	}
	t.cancelOthers(p, o, x.N)
	p.Settle(o, res.State)
	res.Final = true
	t.end(p, o, x, res)
}

// halted ends x with a failure, or with an unknown state: the result is kept, and the plan is
// suspended until a person resets or removes it, unless its options let it go on, or it is a
// task, whose failure is final.
func (t *Turn) halted(p *state.Plan, o *state.Occurrence, x *state.Execution, res Outcome) {
	res.State = schema.StateFailure
	p.CountFailure(o, x)
	if p.Closing || p.Options().Settles || p.IsTask() {
		t.GiveUp(p, o, x, res)
		return
	}
	res.stops = true
	t.end(p, o, x, res)
	t.suspend(p, o, schema.StatusPlanError, res.Reason)
}

// suspend stops the plan at o, which stays open, without a time of its own. An earlier pause is
// forgotten, because reset leads back to the queue.
func (t *Turn) suspend(p *state.Plan, o *state.Occurrence, status schema.Status, why schema.Reason) {
	o.WaitsFor(state.DelayPerson, t.Now, setting(t, p))
	o.At, o.Wait = 0, 0
	if p.IsPaused() {
		t.SkipPassed(p, t.Now+1, schema.ReasonPaused)
	}
	p.Suspension = &state.Suspension{Status: status, Reason: why}
	t.Notify(p, schema.Notice{
		Kind: schema.NoticePlanError, Occurrence: o.K, Attempt: o.Attempt, N: p.N, PlanTime: o.Due.Time(), Reason: why,
	})
}
