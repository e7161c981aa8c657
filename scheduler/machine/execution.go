package machine

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// start dispatches the open occurrences of p whose time has come, and publishes
// again what reached nobody.
func (m *Machine) start(p *plan, now moment, b *Batch) {
	m.tally(p)
	pull := p.station.isPull()
	for _, o := range p.open {
		for _, x := range slices.Clone(o.live) {
			switch {
			case x.retry == 0 || x.retry > now || p.isBlamed():
			case pull && x.unserved(): // the station was of another kind, and nobody has it
				m.putBack(p, o, x, now, b)
			case !m.whole(p, now, b):
			default:
				m.send(p, o, x, now, b)
			}
		}
		if at := p.startsAt(o); pull || at == 0 || at > now || m.hold.on {
			continue
		}
		switch {
		case !m.mayStart(p, o):
			o.held = true
		case !m.whole(p, now, b):
		case m.takeTurn(p, o):
			m.dispatch(p, o, now, b)
		default:
			o.held = true
		}
	}
	m.offerAll(p, now)
}

// dispatch makes a new execution of o and publishes it.
func (m *Machine) dispatch(p *plan, o *occurrence, now moment, b *Batch) {
	x := m.execute(p, o, now)
	x.become(p.station.kind())
	m.send(p, o, x, now, b)
	m.touch(p, now, b)
	m.tell(p, schema.Notice{
		Kind: schema.NoticeDispatched, Occurrence: o.k, Attempt: x.attempt, N: x.n, PlanTime: o.due.time(),
	}, now, b)
}

// execute makes a new execution of o.
func (m *Machine) execute(p *plan, o *occurrence, now moment) *execution {
	n := o.trigger // the number that was promised to who asked for the run
	if n == 0 || o.attempt > 0 || o.spent {
		p.n++
		n = p.n
	}
	before := o.attempt
	if before == 0 {
		before = m.attemptsBefore(p, o)
	}
	x := &execution{n: n, attempt: before + 1, state: schema.StateDispatched}
	if p.muster(o, before); o.crew != nil {
		o.crew.join(x, now)
	}
	o.attempt, o.wait = max(o.attempt, x.attempt), 0
	if p.inbox != nil {
		m.handOver(p, o, now)
	}
	o.live = append(o.live, x)
	p.tallied++
	p.station.underWay++
	m.underWay++
	p.execTime = now
	p.attempt = int32(x.attempt)
	return x
}

// send publishes x, for the first time or, when it reached nobody, again; its deadlines run
// from here.
func (m *Machine) send(p *plan, o *occurrence, x *execution, now moment, b *Batch) {
	t := m.termsOf(p)
	x.sent, x.retry, x.adopted = now, 0, false
	x.deadline = now.after(t.ExecTimeout)
	if x.ballot != nil {
		m.openBallot(p, x, t, now)
	}
	x.startBy = sooner(now.after(t.StartTimeout), x.deadline)
	out := m.outgoing(p, o, x)
	x.order(out, b)
	out.Pub, out.Vote, out.To = x.pub, x.ballot != nil, m.address(p, x, now)
	if !o.held && !o.caughtUp && p.inbox == nil {
		out.Expected = max(o.at, p.accepted).time()
	}
	o.held = true // whatever is sent of it from here on waited for something else
	b.effect(Dispatch{Execution: out})
}

// outgoing is x as a worker gets it.
func (m *Machine) outgoing(p *plan, o *occurrence, x *execution) *Outgoing {
	opts := p.options()
	shared, count := p.shared()
	out := &Outgoing{
		Name: p.name, Enc: p.enc, Shared: shared, SharedCount: count, HasHeaders: p.hasHeaders,
		N: x.n, Occurrence: o.k, Attempt: x.attempt, Trigger: o.trigger, MadeBy: o.madeBy(),
		Incarnation: p.incarnation, Nonce: m.nonce(p, x.n), Epoch: m.epoch,
		PlanTime: o.due.time(), Deadline: x.deadline.time(), StartBy: x.startBy.time(), Sent: x.sent.time(), Within: x.within(),
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
func (x *execution) look() moment {
	switch {
	case x.retry != 0:
		return x.retry
	case x.state == schema.StateDispatched:
		return sooner(sooner(x.startBy, x.deadline), x.pingBy)
	default:
		return sooner(x.deadline, x.pingBy)
	}
}

// expire ends the executions of p whose time is up, as far as b has room.
func (m *Machine) expire(p *plan, now moment, b *Batch) {
	for i := 0; i < len(p.open); {
		o := p.open[i]
		x := m.expired(p, o, now)
		if x == nil {
			i++
			continue
		}
		if !b.Room(p.cost()) {
			return
		}
		if x.lock != "" {
			m.unlock(p, o, x, now, b)
			continue
		}
		if m.larges.waits(p) || p != m.bereft && !m.whole(p, now, b) {
			return // its result repeats all of the definition
		}
		if m.mayBeUnsent(p, o, x) {
			m.sendAgain(p, o, x, now, b)
			continue
		}
		why := x.overdue(now)
		m.cancelWorker(p, o, x, why, b)
		if len(x.ballot.voted()) > 0 {
			m.count(p, o, x, now, b) // of those who came in time
			continue
		}
		m.timedOut(p, o, x, why, now, b) // takes x out of o, and o out of p if that settles it
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
func (m *Machine) sendAgain(p *plan, o *occurrence, x *execution, now moment, b *Batch) {
	m.send(p, o, x, now, b)
	m.touch(p, now, b)
	m.tell(p, schema.Notice{
		Kind: schema.NoticeRetrying, Occurrence: o.k, Attempt: x.attempt, N: x.n, PlanTime: o.due.time(), Reason: schema.ReasonUnsent,
	}, now, b)
}

// overdue says which of its times x, whose time is up, has let pass.
func (x *execution) overdue(now moment) schema.Reason {
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
func (m *Machine) expired(p *plan, o *occurrence, now moment) *execution {
	for _, x := range o.live {
		if at := x.look(); x.retry == 0 && at != 0 && at <= now && !m.awaitsWord(p, x, at, now) {
			return x
		}
	}
	return nil
}

// nobody takes in NATS's word that no one subscribes to where x went: it is the
// same execution still, published again with backoff, or as soon as a worker of
// the station appears. Nothing is appended; a successor finds it out anew.
func (m *Machine) nobody(now moment, ev Nobody, b *Batch) {
	p := m.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
	if p == nil || !m.isNonce(p, ev.About.N, ev.About.Nonce) {
		return
	}
	m.at(p)
	o, x := p.find(ev.About.N)
	if x == nil || x.state != schema.StateDispatched || x.retry != 0 || x.claimed {
		return
	}
	if len(x.others) > 0 && !p.station.isPull() { // else it is claimed, by one of them
		if !m.isWhole(p) {
			m.fetchFor(p, ev, b)
			return
		}
		m.send(p, o, x, now, b)
		m.schedule(p)
		return
	}
	x.misses++
	x.retry = now.after(missDelay(x.misses))
	m.miss(p)
	m.tell(p, schema.Notice{
		Kind: schema.NoticeNotWorker, Occurrence: o.k, Attempt: x.attempt, N: x.n, PlanTime: o.due.time(),
	}, now, b)
	m.look(p, now, b) // a later occurrence may be waiting to take its place
}

// missDelay is the backoff after so many deliveries that reached nobody: 1
// second, doubling, at most 30.
func missDelay(misses int) time.Duration {
	return min(time.Second<<min(misses-1, 5), 30*time.Second)
}

// sent settles an execution of a pub station: published is done, whatever kind the
// station has become meanwhile, since nobody was asked for a reply.
func (m *Machine) sent(now moment, ev Sent, b *Batch) {
	p := m.plans[ev.Name]
	if p == nil || p.incarnation != ev.Incarnation {
		return
	}
	m.at(p)
	o, x := p.find(ev.N)
	switch {
	case x == nil:
	case !m.isWhole(p):
		m.fetchFor(p, ev, b)
	default:
		m.succeed(p, o, x.n, x.attempt, outcome{}, now, b)
		m.look(p, now, b)
	}
}

func (m *Machine) cancelWorker(p *plan, o *occurrence, x *execution, why schema.Reason, b *Batch) {
	b.effect(Cancel{Enc: p.enc, Cancel: schema.Cancel{
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
