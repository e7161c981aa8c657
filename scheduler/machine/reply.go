package machine

import (
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// heard takes in a worker's word. A word with a wrong nonce is a stranger's and gets no
// answer at all.
func (m *Machine) heard(now moment, ev Heard, b *Batch) {
	p := m.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
	if p == nil {
		m.late(ev, b)
		return
	}
	m.at(p)
	if why := ev.Reply.Fit(p.enc); why != "" {
		ev.Reason = why
	}
	if !m.isNonce(p, ev.About.N, ev.About.Nonce) {
		m.counts.Strangers++
		return
	}
	if ev.Reply.Stream != "" {
		m.confirmed(p, ev.About.N, now, b)
		return
	}
	if isLast(ev.Reply.State) && !m.isWhole(p) {
		m.fetchFor(p, ev, b) // its result repeats all of the definition
		return
	}
	if id := ev.Reply.WorkerID; id != "" {
		m.roster.reply(id, p.name.Station, now)
	}
	o, x := p.find(ev.About.N)
	ack := schema.Ack{Ack: true, Accepted: true}
	switch {
	case o == nil, x == nil && ev.Reply.State != schema.StateOK:
		m.late(ev, b)
		return
	case x == nil:
		m.superseded(p, o, ev, now, b)
	default:
		x.retry, x.misses, x.others, x.adopted = 0, 0, nil, false
		m.serve(p)
		x.heard = true
		if !m.mayKeep(p, x, ev.Reply.State) {
			m.dismiss(p, o, x, now, b)
			ack.Accepted, ack.Cancel = false, true
			break
		}
		ack.Accepted = m.word(p, o, x, ev, now, b)
		if x.claimed && isPing(ev.Reply.State) {
			ack.PingIntervalMS = m.pinged(p, x, now, b)
		}
	}
	b.acknowledge(ev.From, ack)
	if ev.Captured {
		m.conclude(p, now, b)
		m.tally(p)
		m.timetable.set(p.handle, now) // a look would end what the next word may be about
		return
	}
	m.look(p, now, b)
}

// confirmed notes that a stream which captures the station's subject has confirmed
// execution n as a message. It is no word of a worker: one may have the execution or
// none, so it waits as before.
func (m *Machine) confirmed(p *plan, n int64, now moment, b *Batch) {
	m.counts.Confirmations++
	if o, x := p.find(n); x != nil {
		m.tell(p, schema.Notice{
			Kind: schema.NoticeNotWorker, Reason: schema.ReasonCaptured,
			Occurrence: o.k, Attempt: x.attempt, N: x.n, PlanTime: o.due.time(),
		}, now, b)
	}
}

// isLast reports that an execution may end with such a word of its worker.
func isLast(s schema.State) bool { return s != schema.StateRunning && s != schema.StateWaiting }

// late answers a word that changes nothing: taken, of no effect, stop.
func (m *Machine) late(ev Heard, b *Batch) {
	m.counts.Late++
	b.acknowledge(ev.From, schema.Ack{Ack: true, Cancel: true})
}

// word carries out what the worker of a live execution says; false: it changed
// nothing.
func (m *Machine) word(p *plan, o *occurrence, x *execution, ev Heard, now moment, b *Batch) bool {
	if x.ballot != nil {
		return m.vote(p, o, x, ev, now, b)
	}
	r := &ev.Reply
	if x.claimed && r.State == schema.StateNotWorker {
		return m.givenBack(p, o, x, r.WorkerID, now, b)
	}
	said := outcome{content: r.Content, error: r.Error, worker: r.WorkerID, reason: ev.Reason, silent: unwanted(r), overflow: r.Overflow}
	if said.worker == "" || x.claimed {
		said.worker = x.worker
	}
	switch r.State {
	case schema.StateRunning:
		m.running(p, o, x, r, now, b)
	case schema.StateWaiting:
		m.waiting(p, o, x, r, now, b)
	case schema.StateOK:
		m.done(p, o, x, said, now, b)
	case schema.StateError:
		o.doubt(r.Unsure)
		if r.Retry != nil && !*r.Retry {
			said.state, said.reason = schema.StateFailure, schema.ReasonWorker
			p.countFailure(o, x)
			p.inbox.answered()
			m.giveUp(p, o, x, said, now, b)
			break
		}
		m.failed(p, o, x, said, r.Delay, now, b)
	case schema.StateFailure:
		said.reason = schema.ReasonWorker
		m.halted(p, o, x, said, now, b)
	default:
		said.reason = schema.ReasonUnknownState
		if said.error.IsZero() {
			said.error = wire.Text(p.enc, schema.UnknownState(r.State))
		}
		m.halted(p, o, x, said, now, b)
	}
	return true
}

// running notes that a worker has begun; said again it is a ping and changes
// nothing.
func (m *Machine) running(p *plan, o *occurrence, x *execution, r *schema.Reply, now moment, b *Batch) {
	if x.state == schema.StateRunning {
		return
	}
	x.state = schema.StateRunning
	if r.WorkerID != "" && !x.claimed {
		x.worker = r.WorkerID
	}
	m.touch(p, now, b)
	m.tellExecution(p, o, x, schema.NoticeRunning, r.Progress, now, b)
}

// waiting moves the deadline: the worker is at it and needs longer.
func (m *Machine) waiting(p *plan, o *occurrence, x *execution, r *schema.Reply, now moment, b *Batch) {
	extend := m.termsOf(p).ExecTimeout
	if r.Extend != nil {
		extend = r.Extend.Duration()
	}
	if x.deadline != 0 {
		x.deadline = max(x.deadline, now.after(extend))
	}
	x.state = schema.StateWaiting
	if r.WorkerID != "" && !x.claimed {
		x.worker = r.WorkerID
	}
	m.touch(p, now, b)
	m.tellExecution(p, o, x, schema.NoticeWaiting, r.Progress, now, b)
}

// superseded takes the ok of an execution that was given up: its occurrence is
// unsettled, so the work is done all the same, and who is at it now may stop. That
// execution has a result, so this one has a number of its own.
func (m *Machine) superseded(p *plan, o *occurrence, ev Heard, now moment, b *Batch) {
	p.n++
	m.succeed(p, o, p.n, o.attemptOf(ev.About.N), outcome{
		late: ev.About.N, content: ev.Reply.Content, error: ev.Reply.Error, worker: ev.Reply.WorkerID, silent: unwanted(&ev.Reply),
	}, now, b)
}

// unwanted reports that a worker says ok and wants nobody called back.
func unwanted(r *schema.Reply) bool {
	return r.State == schema.StateOK && r.Callback != nil && !*r.Callback
}

// succeed settles o with the ok of its execution n.
func (m *Machine) succeed(p *plan, o *occurrence, n, attempt int64, said outcome, now moment, b *Batch) {
	until := now
	for _, x := range o.live {
		if x.n == n {
			said.sent = x.sent
			if x.isUnheard() {
				until = x.unheard // as late as that it is heard, and no later
			}
		}
	}
	m.cancelOthers(p, o, n, now, b)
	p.settle(o, schema.StateOK)
	said.n, said.attempt, said.state, said.final = n, attempt, schema.StateOK, true
	m.publish(p, said.of(o), now, b)
	if p.halt.stopped() && !p.stopped() && !p.isBlamed() {
		m.serveAgain(p, now, b) // what stopped the plan has been done after all
	}
	m.free(p, until, now, b)
}

// cancelOthers ends what is under way of o but for execution n.
func (m *Machine) cancelOthers(p *plan, o *occurrence, n int64, now moment, b *Batch) {
	for _, x := range o.live {
		if x.n == n {
			continue
		}
		m.cancelWorker(p, o, x, "", b)
		m.publish(p, outcome{
			n: x.n, attempt: x.attempt, sent: x.sent, state: schema.StateCancelled, worker: x.worker,
			votes: x.ballot.voted(), terse: o.crew != nil,
		}.of(o), now, b)
	}
}

// free lets the plan go on after an execution has ended. What fell due until then
// was lost to it and is skipped (seed 000, 3.3.2); what fell due while no scheduler
// acted is not judged by that, else a failover would lose it. An occurrence that
// follows the one before is due now. What falls due while the plan is paused, or is to
// be skipped, is looked at in its time.
func (m *Machine) free(p *plan, until, now moment, b *Batch) {
	switch {
	case p.schedule.Continuous():
		p.lookAhead(now)
	case p.halt == paused || p.skip != nil:
	case p.next.K == 0 || p.closing || p.executing() || m.termsOf(p).Overlap != schema.BusySkip:
	case dueMoment(p.next.At) >= m.since:
		m.skipPassed(p, until, schema.ReasonPast, now, b)
	}
}
