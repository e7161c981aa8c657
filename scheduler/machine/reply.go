package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// heard takes in a worker's word. A word with a wrong nonce is a stranger's and gets no
// answer at all.
func (t *turn) heard(ev Heard) {
	p := t.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
	if p == nil {
		t.late(ev)
		return
	}
	t.at(p)
	if why := ev.Reply.Fit(p.enc); why != "" {
		ev.Reason = why
	}
	if !t.isNonce(p, ev.About.N, ev.About.Nonce) {
		t.counts.Strangers++
		return
	}
	if ev.Reply.Stream != "" {
		t.confirmed(p, ev.About.N)
		return
	}
	if isLast(ev.Reply.State) && !t.isWhole(p) {
		t.fetchFor(p, ev) // its result repeats all of the definition
		return
	}
	if id := ev.Reply.WorkerID; id != "" {
		t.roster.Reply(id, p.name.Station, t.now)
	}
	o, x := p.find(ev.About.N)
	ack := schema.Ack{Ack: true, Accepted: true}
	switch {
	case o == nil, x == nil && ev.Reply.State != schema.StateOK:
		t.late(ev)
		return
	case x == nil:
		t.superseded(p, o, ev)
	default:
		x.retry, x.misses, x.others, x.adopted = 0, 0, nil, false
		t.serve(p)
		x.heard = true
		if !t.mayKeep(p, x, ev.Reply.State) {
			t.dismiss(p, o, x)
			ack.Accepted, ack.Cancel = false, true
			break
		}
		ack.Accepted = t.word(p, o, x, ev)
		if x.claimed && isPing(ev.Reply.State) {
			ack.PingIntervalMS = t.pinged(p, x)
		}
	}
	t.b.acknowledge(ev.From, ack)
	if ev.Captured {
		t.conclude(p)
		t.tally(p)
		t.timetable.Set(p.handle, t.now) // a look would end what the next word may be about
		return
	}
	t.look(p)
}

// confirmed notes that a stream which captures the station's subject has confirmed
// execution n as a message. It is no word of a worker: one may have the execution or
// none, so it waits as before.
func (t *turn) confirmed(p *plan, n int64) {
	t.counts.Confirmations++
	if o, x := p.find(n); x != nil {
		t.tell(p, schema.Notice{
			Kind: schema.NoticeNotWorker, Reason: schema.ReasonCaptured,
			Occurrence: o.k, Attempt: x.attempt, N: x.n, PlanTime: o.due.Time(),
		})
	}
}

// isLast reports that an execution may end with such a word of its worker.
func isLast(s schema.State) bool { return s != schema.StateRunning && s != schema.StateWaiting }

// late answers a word that changes nothing: taken, of no effect, stop.
func (t *turn) late(ev Heard) {
	t.counts.Late++
	t.b.acknowledge(ev.From, schema.Ack{Ack: true, Cancel: true})
}

// word carries out what the worker of a live execution says; false: it changed
// nothing.
func (t *turn) word(p *plan, o *occurrence, x *execution, ev Heard) bool {
	if x.ballot != nil {
		return t.vote(p, o, x, ev)
	}
	r := &ev.Reply
	if x.claimed && r.State == schema.StateNotWorker {
		return t.givenBack(p, o, x, r.WorkerID)
	}
	said := outcome{content: r.Content, error: r.Error, worker: r.WorkerID, reason: ev.Reason, silent: unwanted(r), overflow: r.Overflow}
	if said.worker == "" || x.claimed {
		said.worker = x.worker
	}
	switch r.State {
	case schema.StateRunning:
		t.running(p, o, x, r)
	case schema.StateWaiting:
		t.waiting(p, o, x, r)
	case schema.StateOK:
		t.done(p, o, x, said)
	case schema.StateError:
		o.doubt(r.Unsure)
		if r.Retry != nil && !*r.Retry {
			said.state, said.reason = schema.StateFailure, schema.ReasonWorker
			p.countFailure(o, x)
			p.inbox.answered()
			t.giveUp(p, o, x, said)
			break
		}
		t.failed(p, o, x, said, r.Delay)
	case schema.StateFailure:
		said.reason = schema.ReasonWorker
		t.halted(p, o, x, said)
	default:
		said.reason = schema.ReasonUnknownState
		if said.error.IsZero() {
			said.error = wire.Text(p.enc, schema.UnknownState(r.State))
		}
		t.halted(p, o, x, said)
	}
	return true
}

// running notes that a worker has begun; said again it is a ping and changes
// nothing.
func (t *turn) running(p *plan, o *occurrence, x *execution, r *schema.Reply) {
	if x.state == schema.StateRunning {
		return
	}
	x.state = schema.StateRunning
	if r.WorkerID != "" && !x.claimed {
		x.worker = r.WorkerID
	}
	t.touch(p)
	t.tellExecution(p, o, x, schema.NoticeRunning, r.Progress)
}

// waiting moves the deadline: the worker is at it and needs longer.
func (t *turn) waiting(p *plan, o *occurrence, x *execution, r *schema.Reply) {
	extend := t.termsOf(p).ExecTimeout
	if r.Extend != nil {
		extend = r.Extend.Duration()
	}
	if x.deadline != 0 {
		x.deadline = max(x.deadline, t.now.After(extend))
	}
	x.state = schema.StateWaiting
	if r.WorkerID != "" && !x.claimed {
		x.worker = r.WorkerID
	}
	t.touch(p)
	t.tellExecution(p, o, x, schema.NoticeWaiting, r.Progress)
}

// superseded takes the ok of an execution that was given up: its occurrence is
// unsettled, so the work is done all the same, and who is at it now may stop. That
// execution has a result, so this one has a number of its own.
func (t *turn) superseded(p *plan, o *occurrence, ev Heard) {
	p.n++
	t.succeed(p, o, p.n, o.attemptOf(ev.About.N), outcome{
		late: ev.About.N, content: ev.Reply.Content, error: ev.Reply.Error, worker: ev.Reply.WorkerID, silent: unwanted(&ev.Reply),
	})
}

// unwanted reports that a worker says ok and wants nobody called back.
func unwanted(r *schema.Reply) bool {
	return r.State == schema.StateOK && r.Callback != nil && !*r.Callback
}

// succeed settles o with the ok of its execution n.
func (t *turn) succeed(p *plan, o *occurrence, n, attempt int64, said outcome) {
	until := t.now
	for _, x := range o.live {
		if x.n == n {
			said.sent = x.sent
			if x.isUnheard() {
				until = x.unheard // as late as that it is heard, and no later
			}
		}
	}
	t.cancelOthers(p, o, n)
	p.settle(o, schema.StateOK)
	said.n, said.attempt, said.state, said.final = n, attempt, schema.StateOK, true
	t.publish(p, said.of(o))
	if p.halt.stopped() && !p.stopped() && !p.isBlamed() {
		t.serveAgain(p) // what stopped the plan has been done after all
	}
	t.free(p, until)
}

// cancelOthers ends what is under way of o but for execution n.
func (t *turn) cancelOthers(p *plan, o *occurrence, n int64) {
	for _, x := range o.live {
		if x.n == n {
			continue
		}
		t.cancelWorker(p, o, x, "")
		t.publish(p, outcome{
			n: x.n, attempt: x.attempt, sent: x.sent, state: schema.StateCancelled, worker: x.worker,
			votes: x.ballot.voted(), terse: o.crew != nil,
		}.of(o))
	}
}

// free lets the plan go on after an execution has ended. What fell due until then
// was lost to it and is skipped (seed 000, 3.3.2); what fell due while no scheduler
// acted is not judged by that, else a failover would lose it. An occurrence that
// follows the one before is due now. What falls due while the plan is paused, or is to
// be skipped, is looked at in its time.
func (t *turn) free(p *plan, until unit.Moment) {
	switch {
	case p.schedule.Continuous():
		p.lookAhead(t.now)
	case p.halt == paused || p.skip != nil:
	case p.next.K == 0 || p.closing || p.executing() || t.termsOf(p).Overlap != schema.BusySkip:
	case unit.DueMoment(p.next.At) >= t.since:
		t.skipPassed(p, until, schema.ReasonPast)
	}
}
