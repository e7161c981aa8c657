package transition

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// start dispatches the open occurrences of p whose time has come, and republishes the
// executions that had no responders.
func (t *Turn) start(p *state.Plan) {
	t.Tally(p)
	pull := p.Station.IsPull()
	for _, o := range p.Open {
		for _, x := range slices.Clone(o.Live) {
			switch {
			case x.Retry == 0 || x.Retry > t.Now || p.IsBlamed():
			case x.Undelivered() && !p.CanResend(x): // no worker has it, because the station was of another kind
				t.PutBack(p, o, x)
			case !t.MakeResident(p):
			default:
				t.send(p, o, x)
			}
		}
		if at := p.StartsAt(o); pull || at == 0 || at > t.Now || t.Holding.On {
			continue // only its time was missing, or its time is noted
		}
		switch {
		case admission.IsHeld(t.Partition, p, o, t.Now):
			isHeld(t, p, o)
		case !t.MakeResident(p):
		case takeTurn(t.Partition, p, o):
			t.dispatch(p, o)
		default:
			isHeld(t, p, o)
		}
	}
}

// dispatch makes a new execution of o and publishes it.
func (t *Turn) dispatch(p *state.Plan, o *state.Occurrence) {
	x := t.Execute(p, o)
	x.Become(p.Station.Kind())
	t.send(p, o, x)
	t.Touch(p)
	t.Notify(p, schema.Notice{
		Kind: schema.NoticeDispatched, Occurrence: o.K, Attempt: x.Attempt, N: x.N, PlanTime: o.Due.Time(),
	})
}

// Execute makes a new execution of o.
func (t *Turn) Execute(p *state.Plan, o *state.Occurrence) *state.Execution {
	n := o.Trigger // the number that the response to the trigger request promised
	if n == 0 || o.Attempt > 0 || o.Spent {
		p.N++
		n = p.N
	}
	before := o.Attempt
	if before == 0 {
		before = admission.AttemptsBefore(t.Partition, p, o)
	}
	x := &state.Execution{N: n, State: schema.StateDispatched}
	o.Join(x, before, p.Wants(), t.Now)
	o.Attempt, o.Wait = max(o.Attempt, x.Attempt), 0
	if p.Inbox != nil {
		t.handOver(p, o)
	}
	o.Live = append(o.Live, x)
	p.Tallied++
	p.Station.UnderWay++
	t.Executing++
	p.ExecTime = t.Now
	p.Attempt = int32(x.Attempt)
	return x
}

// send publishes x for the first time, or again after no responders; its deadlines run from
// here.
func (t *Turn) send(p *state.Plan, o *state.Occurrence, x *state.Execution) {
	if x.Misses > 0 {
		o.Blames(state.DelayWorker)
	}
	Begins(t, p, o, x, state.DelayAbsent)
	x.Sent, x.Retry, x.Adopted = t.Now, 0, false
	giveTime(t, p, x)
	out := Outgoing(t.Partition, p, o, x)
	t.Order(x, out)
	out.Pub, out.Vote, out.To = x.Pub, x.Ballot != nil, address(t, p, x)
	if !o.Held && !o.CaughtUp && p.Inbox == nil {
		out.Expected = max(o.At, p.Accepted).Time()
	}
	o.Held = true // a later execution of it waited for another cause than its time
	t.Batch.Effect(event.Dispatch{Execution: out})
}

// giveTime has the deadlines of x run from now.
func giveTime(t *Turn, p *state.Plan, x *state.Execution) {
	terms := t.TermsOf(p)
	x.Deadline = t.Now.After(terms.ExecTimeout)
	if x.Ballot != nil {
		openBallot(t, p, x, terms)
	}
	x.StartBy = unit.Sooner(t.Now.After(terms.StartTimeout), x.Deadline)
}

// Outgoing is x in the form that a worker receives.
func Outgoing(m *partition.Partition, p *state.Plan, o *state.Occurrence, x *state.Execution) *event.Outgoing {
	opts := p.Options()
	shared, count := p.Shared()
	out := &event.Outgoing{
		Name: p.Name, Enc: p.Enc, Shared: shared, SharedCount: count, HasHeaders: p.HasHeaders,
		N: x.N, Occurrence: o.K, Attempt: x.Attempt, Trigger: o.Trigger, MadeBy: o.MadeBy(),
		Incarnation: p.Incarnation, Nonce: m.Nonce(p, x.N), Epoch: m.Epoch,
		PlanTime: o.Due.Time(), MovedFrom: o.From.Time(), Deadline: x.Deadline.Time(), StartBy: x.StartBy.Time(), Sent: x.Sent.Time(), Within: x.Within(),
		Priority: opts.Priority, Trace: p.Traceparent(),
	}
	if p.Station.Record != nil {
		out.Force = p.Station.Record.Encoding
	}
	if p.Inbox != nil {
		fill(m, out, p, o)
	}
	return out
}

// expire ends the executions of p whose deadline has passed, as far as the turn goes on.
func (t *Turn) expire(p *state.Plan) {
	for i := 0; i < len(p.Open); {
		o := p.Open[i]
		x := t.expired(p, o)
		if x == nil {
			i++
			continue
		}
		if !t.GoesOn() {
			return
		}
		if x.Lock != "" {
			t.unlock(p, o, x)
			continue
		}
		if t.Definitions.Waits(p) || p != t.Missing && !t.MakeResident(p) {
			return // because its result repeats the whole definition
		}
		if admission.MayBeUnsent(t.Partition, p, o, x) {
			if p.HoldsBack(o) {
				// Nor is it put back or timed out, because a worker may have it, or may not.
				giveTime(t, p, x)
				if x.NextCheck() == 0 { // an update took both its times, and no other event would have it sent again
					x.StartBy = t.Now + state.LongRun
				}
				t.Touch(p)
			} else {
				t.sendAgain(p, o, x)
			}
			continue
		}
		why := x.Overdue()
		t.cancelWorker(p, o, x, why)
		if len(x.Ballot.Voted()) > 0 {
			countVotes(t, p, o, x) // the votes that came in time
			continue
		}
		t.timedOut(p, o, x, why) // removes x from o, and o from p if that settles it
	}
}

// sendAgain sends x under its number, nonce and key. It uses up no attempt, because a worker
// that already has x recognizes it by these.
func (t *Turn) sendAgain(p *state.Plan, o *state.Occurrence, x *state.Execution) {
	t.send(p, o, x)
	t.Touch(p)
	t.Notify(p, schema.Notice{
		Kind: schema.NoticeRetrying, Occurrence: o.K, Attempt: x.Attempt, N: x.N, PlanTime: o.Due.Time(), Reason: schema.ReasonUnsent,
	})
}

// expired returns an execution of o whose deadline has passed and may be judged, nil if there
// is none. An execution that waits for a worker to appear does not expire.
func (t *Turn) expired(p *state.Plan, o *state.Occurrence) *state.Execution {
	for _, x := range o.Live {
		if at := x.NextCheck(); x.Retry == 0 && at != 0 && at <= t.Now && !t.awaitsReply(p, x, at) {
			return x
		}
	}
	return nil
}

// NoResponders handles the no-responders status of NATS for an execution: the same execution is
// published again with backoff, or as soon as a worker of the station appears. Nothing is
// appended, because a new leader finds it out by sending.
func (t *Turn) NoResponders(ev event.NoResponders) {
	p := t.Plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
	if p == nil || !t.IsNonce(p, ev.About.N, ev.About.Nonce) {
		return
	}
	t.At(p)
	o, x := p.Find(ev.About.N)
	if x == nil || x.State != schema.StateDispatched || x.Retry != 0 || x.Claimed {
		return
	}
	held := p.HoldsBack(o)
	if !held && len(x.Others) > 0 && p.CanResend(x) {
		if !t.IsResident(p) {
			t.FetchFor(p, ev)
			return
		}
		t.send(p, o, x)
		t.Changed(p)
		return
	}
	if held {
		t.PutBack(p, o, x)
	} else {
		x.Misses++
		x.Retry = t.Now.After(state.MissDelay(x.Misses))
	}
	t.Notify(p, schema.Notice{
		Kind: schema.NoticeNotWorker, Occurrence: o.K, Attempt: x.Attempt, N: x.N, PlanTime: o.Due.Time(),
	})
	t.Evaluate(p) // because a later occurrence may be waiting to take its place
}

// Sent settles an execution of a pub station as ok once it is published, also if the station
// has changed its kind since, because no reply was requested.
func (t *Turn) Sent(ev event.Dispatched) {
	p := t.Plans[ev.Name]
	if p == nil || p.Incarnation != ev.Incarnation {
		return
	}
	t.At(p)
	o, x := p.Find(ev.N)
	switch {
	case x == nil:
	case !t.IsResident(p):
		t.FetchFor(p, ev)
	default:
		t.Succeed(p, o, x.N, x.Attempt, Outcome{})
		t.Evaluate(p)
	}
}

func (t *Turn) cancelWorker(p *state.Plan, o *state.Occurrence, x *state.Execution, why schema.Reason) {
	t.Batch.Effect(event.Cancel{Enc: p.Enc, Cancel: schema.Cancel{
		PlanID: p.Name.PlanID, Station: p.Name.Station, N: x.N, Occurrence: o.K, Attempt: x.Attempt, Reason: why,
	}})
}
