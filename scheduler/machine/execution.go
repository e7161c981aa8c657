package machine

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// start dispatches the open occurrences of p whose time has come, and publishes
// again what reached nobody.
func (t *turn) start(p *plan) {
	t.tally(p)
	pull := p.station.isPull()
	for _, o := range p.open {
		for _, x := range slices.Clone(o.live) {
			switch {
			case x.retry == 0 || x.retry > t.now || p.isBlamed():
			case pull && x.unserved(): // the station was of another kind, and nobody has it
				t.putBack(p, o, x)
			case !t.whole(p):
			default:
				t.send(p, o, x)
			}
		}
		if at := p.startsAt(o); pull || at == 0 || at > t.now || t.hold.on {
			continue
		}
		switch {
		case !t.mayStart(p, o):
			o.held = true
		case !t.whole(p):
		case t.takeTurn(p, o):
			t.dispatch(p, o)
		default:
			o.held = true
		}
	}
	t.offerAll(p)
}

// dispatch makes a new execution of o and publishes it.
func (t *turn) dispatch(p *plan, o *occurrence) {
	x := t.execute(p, o)
	x.become(p.station.kind())
	t.send(p, o, x)
	t.touch(p)
	t.tell(p, schema.Notice{
		Kind: schema.NoticeDispatched, Occurrence: o.k, Attempt: x.attempt, N: x.n, PlanTime: o.due.Time(),
	})
}

// execute makes a new execution of o.
func (t *turn) execute(p *plan, o *occurrence) *execution {
	n := o.trigger // the number that was promised to who asked for the run
	if n == 0 || o.attempt > 0 || o.spent {
		p.n++
		n = p.n
	}
	before := o.attempt
	if before == 0 {
		before = t.attemptsBefore(p, o)
	}
	x := &execution{n: n, attempt: before + 1, state: schema.StateDispatched}
	if p.muster(o, before); o.crew != nil {
		o.crew.join(x, t.now)
	}
	o.attempt, o.wait = max(o.attempt, x.attempt), 0
	if p.inbox != nil {
		t.handOver(p, o)
	}
	o.live = append(o.live, x)
	p.tallied++
	p.station.underWay++
	t.underWay++
	p.execTime = t.now
	p.attempt = int32(x.attempt)
	return x
}

// send publishes x, for the first time or, when it reached nobody, again; its deadlines run
// from here.
func (t *turn) send(p *plan, o *occurrence, x *execution) {
	terms := t.termsOf(p)
	x.sent, x.retry, x.adopted = t.now, 0, false
	x.deadline = t.now.After(terms.ExecTimeout)
	if x.ballot != nil {
		t.openBallot(p, x, terms)
	}
	x.startBy = unit.Sooner(t.now.After(terms.StartTimeout), x.deadline)
	out := t.outgoing(p, o, x)
	t.order(x, out)
	out.Pub, out.Vote, out.To = x.pub, x.ballot != nil, t.address(p, x)
	if !o.held && !o.caughtUp && p.inbox == nil {
		out.Expected = max(o.at, p.accepted).Time()
	}
	o.held = true // whatever is sent of it from here on waited for something else
	t.b.effect(Dispatch{Execution: out})
}

// outgoing is x as a worker gets it.
func (m *Machine) outgoing(p *plan, o *occurrence, x *execution) *Outgoing {
	opts := p.options()
	shared, count := p.shared()
	out := &Outgoing{
		Name: p.name, Enc: p.enc, Shared: shared, SharedCount: count, HasHeaders: p.hasHeaders,
		N: x.n, Occurrence: o.k, Attempt: x.attempt, Trigger: o.trigger, MadeBy: o.madeBy(),
		Incarnation: p.incarnation, Nonce: m.nonce(p, x.n), Epoch: m.epoch,
		PlanTime: o.due.Time(), Deadline: x.deadline.Time(), StartBy: x.startBy.Time(), Sent: x.sent.Time(), Within: x.within(),
		Priority: opts.priority, Trace: p.traceparent(),
	}
	if p.station.record != nil {
		out.Force = p.station.record.Encoding
	}
	if p.inbox != nil {
		m.fill(out, p, o)
	}
	return out
}

// unserved reports that x reached nobody and waits to be published again.
func (x *execution) unserved() bool { return x.misses > 0 && x.retry != 0 }

// look is the next moment at which x wants attention.
func (x *execution) look() unit.Moment {
	switch {
	case x.retry != 0:
		return x.retry
	case x.state == schema.StateDispatched:
		return unit.Sooner(unit.Sooner(x.startBy, x.deadline), x.pingBy)
	default:
		return unit.Sooner(x.deadline, x.pingBy)
	}
}

// expire ends the executions of p whose time is up, as far as b has room.
func (t *turn) expire(p *plan) {
	for i := 0; i < len(p.open); {
		o := p.open[i]
		x := t.expired(p, o)
		if x == nil {
			i++
			continue
		}
		if !t.b.Room(p.cost()) {
			return
		}
		if x.lock != "" {
			t.unlock(p, o, x)
			continue
		}
		if t.larges.waits(p) || p != t.bereft && !t.whole(p) {
			return // its result repeats all of the definition
		}
		if t.mayBeUnsent(p, o, x) {
			t.sendAgain(p, o, x)
			continue
		}
		why := x.overdue(t.now)
		t.cancelWorker(p, o, x, why)
		if len(x.ballot.voted()) > 0 {
			t.count(p, o, x) // of those who came in time
			continue
		}
		t.timedOut(p, o, x, why) // takes x out of o, and o out of p if that settles it
	}
}

// mayBeUnsent reports that x, whose time is up, is to be sent once more before its
// occurrence is given up: the leader that decided it may have ended before it was sent, its
// plan allows no other attempt, and may be executed again where nobody knows.
func (m *Machine) mayBeUnsent(p *plan, o *occurrence, x *execution) bool {
	if !x.adopted || p.closing || p.station.isPull() || len(x.ballot.voted()) > 0 {
		return false
	}
	if u := p.options().onUnknown; u == schema.UnknownSkip || u == schema.UnknownHold {
		return false
	}
	_, again := m.termsOf(p).Retry.Delay(o.triesOf(x).errors+1, 0)
	return !again
}

// sendAgain sends x under the number, the nonce and the key that it has. No attempt is
// used up, and who has it already knows it by these.
func (t *turn) sendAgain(p *plan, o *occurrence, x *execution) {
	t.send(p, o, x)
	t.touch(p)
	t.tell(p, schema.Notice{
		Kind: schema.NoticeRetrying, Occurrence: o.k, Attempt: x.attempt, N: x.n, PlanTime: o.due.Time(), Reason: schema.ReasonUnsent,
	})
}

// overdue says which of its times x, whose time is up, has let pass.
func (x *execution) overdue(now unit.Moment) schema.Reason {
	switch {
	case x.pingBy != 0 && x.pingBy <= now && (x.deadline == 0 || x.deadline > now):
		return schema.ReasonPing
	case x.state == schema.StateDispatched:
		return schema.ReasonStart
	default:
		return schema.ReasonExec
	}
}

// expired returns an execution of o whose time is up, as far as is known, nil if there is
// none. One that waits for a worker to appear has all the time in the world.
func (t *turn) expired(p *plan, o *occurrence) *execution {
	for _, x := range o.live {
		if at := x.look(); x.retry == 0 && at != 0 && at <= t.now && !t.awaitsWord(p, x, at) {
			return x
		}
	}
	return nil
}

// nobody takes in NATS's word that no one subscribes to where x went: it is the
// same execution still, published again with backoff, or as soon as a worker of
// the station appears. Nothing is appended; a successor finds it out anew.
func (t *turn) nobody(ev Nobody) {
	p := t.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
	if p == nil || !t.isNonce(p, ev.About.N, ev.About.Nonce) {
		return
	}
	t.at(p)
	o, x := p.find(ev.About.N)
	if x == nil || x.state != schema.StateDispatched || x.retry != 0 || x.claimed {
		return
	}
	if len(x.others) > 0 && !p.station.isPull() { // else it is claimed, by one of them
		if !t.isWhole(p) {
			t.fetchFor(p, ev)
			return
		}
		t.send(p, o, x)
		t.schedule(p)
		return
	}
	x.misses++
	x.retry = t.now.After(missDelay(x.misses))
	t.miss(p)
	t.tell(p, schema.Notice{
		Kind: schema.NoticeNotWorker, Occurrence: o.k, Attempt: x.attempt, N: x.n, PlanTime: o.due.Time(),
	})
	t.look(p) // a later occurrence may be waiting to take its place
}

// missDelay is the backoff after so many deliveries that reached nobody: 1
// second, doubling, at most 30.
func missDelay(misses int) time.Duration {
	return min(time.Second<<min(misses-1, 5), 30*time.Second)
}

// sent settles an execution of a pub station: published is done, whatever kind the
// station has become meanwhile, since nobody was asked for a reply.
func (t *turn) sent(ev Sent) {
	p := t.plans[ev.Name]
	if p == nil || p.incarnation != ev.Incarnation {
		return
	}
	t.at(p)
	o, x := p.find(ev.N)
	switch {
	case x == nil:
	case !t.isWhole(p):
		t.fetchFor(p, ev)
	default:
		t.succeed(p, o, x.n, x.attempt, outcome{})
		t.look(p)
	}
}

func (t *turn) cancelWorker(p *plan, o *occurrence, x *execution, why schema.Reason) {
	t.b.effect(Cancel{Enc: p.enc, Cancel: schema.Cancel{
		PlanID: p.name.PlanID, Station: p.name.Station, N: x.n, Occurrence: o.k, Attempt: x.attempt, Reason: why,
	}})
}

// remove takes x out of the live executions of o.
func (o *occurrence) remove(x *execution) {
	for i, other := range o.live {
		if other == x {
			o.live = append(o.live[:i], o.live[i+1:]...)
			break
		}
	}
	if x.ballot != nil || x.cut || o.crew != nil {
		o.remember(-x.n) // a late vote settles nothing, nor does who was cut off, nor one of many
		return
	}
	o.remember(x.n)
}
