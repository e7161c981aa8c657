package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A sequel is what follows an execution that ended badly.
type sequel uint8

const (
	again  sequel = iota // the same occurrence, at a later moment
	giveUp               // the occurrence is settled as a failure
	hold                 // a person must act
)

// afterBad answers for an occurrence that has had so many errors and timeouts;
// delay is what the retry policy says of the next one, ok whether it allows one.
func afterBad(ok bool, manual bool) sequel {
	switch {
	case ok:
		return again
	case manual:
		return hold
	default:
		return giveUp
	}
}

// failed ends x with a worker's error. It goes back to the queue, its time not
// recomputed (seed 000, 3.4.4), when the retry policy or the worker says.
func (t *Turn) failed(p *state.Plan, o *state.Occurrence, x *state.Execution, said outcome, delay *schema.Seconds) {
	said.state = schema.StateError
	p.Inbox.Answered()
	if p.Closing {
		t.giveUp(p, o, x, said) // nobody tries again
		return
	}
	t.bad(p, o, x, said, delay)
}

// timedOut ends x because nobody can tell whether it ran: on_unknown decides.
func (t *Turn) timedOut(p *state.Plan, o *state.Occurrence, x *state.Execution, why schema.Reason) {
	t.serve(p)
	o.Doubt(true)
	x.Cut = why == schema.ReasonPing
	// That it had to be heard first costs the plan nothing.
	said := outcome{state: schema.StateTimeout, reason: why, worker: x.Worker, until: unit.Sooner(t.hearing.to, t.now)}
	if p.Closing {
		t.giveUp(p, o, x, said)
		return
	}
	switch p.Options().OnUnknown {
	case schema.UnknownSkip:
		said.becomeFailure(schema.ReasonUnknown)
		t.giveUp(p, o, x, said)
	case schema.UnknownHold:
		said.stops = true
		t.end(p, o, x, said)
		t.halt(p, o, state.Pending, schema.ReasonUnknown)
	default:
		if why == schema.ReasonPing {
			t.lost(p, o, x, said)
			return
		}
		t.bad(p, o, x, said, nil)
	}
}

// bad ends x with an error or a timeout and lets the retry policy decide. The work of a
// task whose result is too large is done, and is not done again for nothing.
func (t *Turn) bad(p *state.Plan, o *state.Occurrence, x *state.Execution, said outcome, asked *schema.Seconds) {
	o.CountError(x)
	delay, ok := t.termsOf(p).Retry.Delay(o.TriesOf(x).Errors, t.share("retry/", p, x.N))
	if asked != nil {
		delay = asked.Duration()
	}
	ok = ok && !(said.overflow && p.IsTask())
	t.goOn(p, o, x, said, delay, ok)
}

// lost ends x because its worker's pings have stopped, which counts as no error: others may
// claim it after a delay of its own, so many times.
func (t *Turn) lost(p *state.Plan, o *state.Occurrence, x *state.Execution, said outcome) {
	tries, terms := o.TriesOf(x), t.termsOf(p)
	tries.Lost++
	ok := terms.MaxUnexpected < 0 || tries.Lost <= terms.MaxUnexpected
	t.goOn(p, o, x, said, terms.UnexpectedDelay, ok)
}

// goOn ends x, which ended badly; ok says that it is tried again, after a delay.
func (t *Turn) goOn(p *state.Plan, o *state.Occurrence, x *state.Execution, said outcome, delay time.Duration, ok bool) {
	switch afterBad(ok, t.termsOf(p).Retry.NeedManual) {
	case again:
		t.end(p, o, x, said)
		o.PutOff(x, said.state, t.now, max(1, unit.Moment(0).After(delay)))
		t.tellExecution(p, o, x, schema.NoticeRetrying, nil)
	case hold:
		said.stops = true
		t.end(p, o, x, said)
		t.halt(p, o, state.Pending, schema.ReasonRetries)
	case giveUp:
		why := schema.ReasonRetries
		if x.Adopted {
			why = schema.ReasonUnsent
		}
		said.becomeFailure(why)
		t.giveUp(p, o, x, said)
	}
}

// end takes x out of its occurrence, which stays open, and publishes its result.
func (t *Turn) end(p *state.Plan, o *state.Occurrence, x *state.Execution, said outcome) {
	o.Remove(x)
	said.n, said.attempt, said.sent = x.N, x.Attempt, x.Sent
	if said.bad() && !said.final {
		o.LastError = said.asLastError(p.LastErrorRoom(), t.now)
	}
	t.publish(p, said.of(o))
	t.free(p, unit.Sooner(said.until, t.now))
}

// giveUp settles o as a failure; the plan goes on with its next occurrence. Of a plan
// that was closed others may finish what they have begun.
func (t *Turn) giveUp(p *state.Plan, o *state.Occurrence, x *state.Execution, said outcome) {
	if p.Closing && len(o.Live) > 1 {
		t.end(p, o, x, said)
		return
	}
	t.cancelOthers(p, o, x.N)
	p.Settle(o, said.state)
	said.final = true
	t.end(p, o, x, said)
}

// halted ends x with a failure, or with a state that nobody knows: the result is
// kept, and the plan leaves the queue until a person resets or removes it, unless it
// was asked to go on, or is a task, whose failure is final.
func (t *Turn) halted(p *state.Plan, o *state.Occurrence, x *state.Execution, said outcome) {
	said.state = schema.StateFailure
	p.CountFailure(o, x)
	if p.Closing || p.Options().Settles || p.IsTask() {
		t.giveUp(p, o, x, said)
		return
	}
	said.stops = true
	t.end(p, o, x, said)
	t.halt(p, o, state.PlanError, said.reason)
}

// halt stops the plan at o, which stays open, without a time of its own. That it was
// paused is forgotten: reset leads back to the queue.
func (t *Turn) halt(p *state.Plan, o *state.Occurrence, h state.Halt, why schema.Reason) {
	o.At, o.Wait = 0, 0
	if p.Halt == state.Paused {
		t.skipPassed(p, t.now+1, schema.ReasonPaused)
	}
	p.Stop(h, state.Halted{Reason: why})
	t.tell(p, schema.Notice{
		Kind: schema.NoticePlanError, Occurrence: o.K, Attempt: o.Attempt, N: p.N, PlanTime: o.Due.Time(), Reason: why,
	})
}
