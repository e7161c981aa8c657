package machine

import (
	"time"

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
func (m *Machine) failed(p *plan, o *occurrence, x *execution, said outcome, delay *schema.Seconds, now moment, b *Batch) {
	said.state = schema.StateError
	p.inbox.answered()
	if p.closing {
		m.giveUp(p, o, x, said, now, b) // nobody tries again
		return
	}
	m.bad(p, o, x, said, delay, now, b)
}

// timedOut ends x because nobody can tell whether it ran: on_unknown decides.
func (m *Machine) timedOut(p *plan, o *occurrence, x *execution, why schema.Reason, now moment, b *Batch) {
	m.serve(p)
	o.doubt(true)
	x.cut = why == schema.ReasonPing
	// That it had to be heard first costs the plan nothing.
	said := outcome{state: schema.StateTimeout, reason: why, worker: x.worker, until: sooner(m.hearing.to, now)}
	if p.closing {
		m.giveUp(p, o, x, said, now, b)
		return
	}
	switch p.options().onUnknown {
	case schema.UnknownSkip:
		said.becomeFailure(schema.ReasonUnknown)
		m.giveUp(p, o, x, said, now, b)
	case schema.UnknownHold:
		said.stops = true
		m.end(p, o, x, said, now, b)
		m.halt(p, o, pending, schema.ReasonUnknown, now, b)
	default:
		if why == schema.ReasonPing {
			m.lost(p, o, x, said, now, b)
			return
		}
		m.bad(p, o, x, said, nil, now, b)
	}
}

// bad ends x with an error or a timeout and lets the retry policy decide. The work of a
// task whose result is too large is done, and is not done again for nothing.
func (m *Machine) bad(p *plan, o *occurrence, x *execution, said outcome, asked *schema.Seconds, now moment, b *Batch) {
	o.countError(x)
	delay, ok := m.termsOf(p).Retry.Delay(o.triesOf(x).errors, m.share("retry/", p, x.n))
	if asked != nil {
		delay = asked.Duration()
	}
	ok = ok && !(said.overflow && p.isTask())
	m.goOn(p, o, x, said, delay, ok, now, b)
}

// lost ends x because its worker's pings have stopped, which counts as no error: others may
// claim it after a delay of its own, so many times.
func (m *Machine) lost(p *plan, o *occurrence, x *execution, said outcome, now moment, b *Batch) {
	t, terms := o.triesOf(x), m.termsOf(p)
	t.lost++
	ok := terms.MaxUnexpected < 0 || t.lost <= terms.MaxUnexpected
	m.goOn(p, o, x, said, terms.UnexpectedDelay, ok, now, b)
}

// goOn ends x, which ended badly; ok says that it is tried again, after a delay.
func (m *Machine) goOn(p *plan, o *occurrence, x *execution, said outcome, delay time.Duration, ok bool, now moment, b *Batch) {
	switch afterBad(ok, m.termsOf(p).Retry.NeedManual) {
	case again:
		m.end(p, o, x, said, now, b)
		o.putOff(x, said.state, now, max(1, moment(0).after(delay)))
		m.tellExecution(p, o, x, schema.NoticeRetrying, nil, now, b)
	case hold:
		said.stops = true
		m.end(p, o, x, said, now, b)
		m.halt(p, o, pending, schema.ReasonRetries, now, b)
	case giveUp:
		why := schema.ReasonRetries
		if x.adopted {
			why = schema.ReasonUnsent
		}
		said.becomeFailure(why)
		m.giveUp(p, o, x, said, now, b)
	}
}

// end takes x out of its occurrence, which stays open, and publishes its result.
func (m *Machine) end(p *plan, o *occurrence, x *execution, said outcome, now moment, b *Batch) {
	o.remove(x)
	said.n, said.attempt, said.sent = x.n, x.attempt, x.sent
	if said.bad() && !said.final {
		o.lastError = said.asLastError(p.lastErrorRoom(), now)
	}
	m.publish(p, said.of(o), now, b)
	m.free(p, sooner(said.until, now), now, b)
}

// giveUp settles o as a failure; the plan goes on with its next occurrence. Of a plan
// that was closed others may finish what they have begun.
func (m *Machine) giveUp(p *plan, o *occurrence, x *execution, said outcome, now moment, b *Batch) {
	if p.closing && len(o.live) > 1 {
		m.end(p, o, x, said, now, b)
		return
	}
	m.cancelOthers(p, o, x.n, now, b)
	p.settle(o, said.state)
	said.final = true
	m.end(p, o, x, said, now, b)
}

// halted ends x with a failure, or with a state that nobody knows: the result is
// kept, and the plan leaves the queue until a person resets or removes it, unless it
// was asked to go on, or is a task, whose failure is final.
func (m *Machine) halted(p *plan, o *occurrence, x *execution, said outcome, now moment, b *Batch) {
	said.state = schema.StateFailure
	p.countFailure(o, x)
	if p.closing || p.options().settles || p.isTask() {
		m.giveUp(p, o, x, said, now, b)
		return
	}
	said.stops = true
	m.end(p, o, x, said, now, b)
	m.halt(p, o, planError, said.reason, now, b)
}

// halt stops the plan at o, which stays open, without a time of its own. That it was
// paused is forgotten: reset leads back to the queue.
func (m *Machine) halt(p *plan, o *occurrence, h halt, why schema.Reason, now moment, b *Batch) {
	o.at, o.wait = 0, 0
	if p.halt == paused {
		m.skipPassed(p, now+1, schema.ReasonPaused, now, b)
	}
	p.stop(h, halted{reason: why})
	m.tell(p, schema.Notice{
		Kind: schema.NoticePlanError, Occurrence: o.k, Attempt: o.attempt, N: p.n, PlanTime: o.due.time(), Reason: why,
	}, now, b)
}
