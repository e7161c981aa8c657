package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// maxOpen bounds the open occurrences of a plan, and so its row. What falls due
// beyond it is skipped, reason concurrency.
const maxOpen = 100

// lookAhead finds the first occurrence that was not taken yet. Only a plan whose
// occurrences follow each other without a pause needs to know the time.
func (p *plan) lookAhead(now unit.Moment) {
	if p.inbox != nil {
		p.next = calendar.Due{} // its pushes say when it is due
		return
	}
	var notBefore time.Time
	if p.schedule.Continuous() {
		notBefore = now.Time()
		if p.prev.At.After(notBefore) {
			notBefore = p.prev.At
		}
	}
	next, ok := p.schedule.Next(p.prev, notBefore)
	if !ok {
		next = calendar.Due{}
	}
	p.next = next
}

// openDue opens or skips the occurrences of p that have fallen due.
func (t *turn) openDue(p *plan) {
	if t.hold.on {
		return
	}
	if p.inbox != nil {
		t.callUp(p)
		return
	}
	for t.b.Room(p.cost()) {
		if at := t.nextTurn(p); at == 0 || at > t.now {
			return
		}
		switch {
		case p.halt == paused:
			t.skipPassed(p, t.now+1, schema.ReasonPaused)
		case p.skipsNext():
			t.skipAsked(p)
		case t.hasToWait(p):
			t.passBy(p)
		default:
			if d, ok := t.choose(p, unit.DueMoment(p.next.At)); ok {
				t.take(p, d)
			}
		}
	}
}

// nextTurn is the moment at which p's next occurrence is to be opened or skipped; none
// while something else has to happen first.
func (m *Machine) nextTurn(p *plan) unit.Moment {
	switch {
	case p.inbox != nil:
		return p.inboxTurn()
	case p.next.K == 0, p.closing, p.halt.stopped(), p.rests():
		return 0
	case p.halt == paused:
		return p.nextNote()
	case !p.skipsNext() && m.judgesLater(p):
		return 0
	case !p.skipsNext() && m.hasToWait(p):
		return unit.Sooner(m.nextInQueue(p), m.nextLost(p))
	default:
		return unit.DueMoment(p.next.At)
	}
}

// hasToWait reports that p's next occurrence waits until something of p ends.
func (m *Machine) hasToWait(p *plan) bool { return p.load() != idle && m.verdictOn(p) == wait }

// verdictOn admits p's next occurrence. One that follows the one before is due when
// that is settled, and so never meets it.
func (m *Machine) verdictOn(p *plan) verdict {
	l := p.load()
	switch {
	case l == idle && p.marks == nil && m.limit(p.station) == 0:
		return start // whatever the policy, which need not be looked up for it
	case l != idle && p.schedule.Continuous():
		return wait
	}
	v := admit(m.question(p, l))
	if m.putOff(p, v) {
		return wait
	}
	return v
}

// choose picks, of the occurrences that are due, the one to take now, and skips
// those before it that will never run. False: all of them were skipped.
func (t *turn) choose(p *plan, due unit.Moment) (calendar.Due, bool) {
	terms := t.termsOf(p)
	if p.schedule.Continuous() {
		return p.next, true // it follows the one before, so none was missed
	}
	if t.waited(p, p.next) {
		return p.next, true // whoever acted when it fell due
	}
	// Of what was past when p was accepted all runs under full, as far as one does not take
	// the place of the one before: else there is a result for each second since 1970.
	if due < t.actsOn(p) && (terms.CatchUp != schema.MissedFull || due >= p.accepted) {
		return t.chooseMissed(p, terms.CatchUp)
	}
	why := schema.ReasonPast // lost to an execution that took its time
	switch terms.Overlap {
	case schema.BusySkip:
	case schema.BusyCancelPrev:
		why = schema.ReasonOverlap // each would take the place of the one before
	default:
		return p.next, true
	}
	n, last := p.schedule.Passed(p.prev, (t.now + 1).Time())
	t.skipTo(p, n-1, last, why)
	return last, true
}

// waited reports that d, the next occurrence of p, waited its turn: somebody acted when
// it fell due.
func (m *Machine) waited(p *plan, d calendar.Due) bool {
	return d.K <= p.marked().queued.K && m.queues(p)
}

// isMissed reports that d, the next occurrence of p, fell due while no scheduler acted. One
// that was past already when p was accepted was not missed: its publisher wants it late.
func (m *Machine) isMissed(p *plan, d calendar.Due) bool {
	due := unit.DueMoment(d.At)
	return due < m.actsOn(p) && due >= p.accepted &&
		p.inbox == nil && !p.schedule.Continuous() && !m.waited(p, d)
}

// putOff reports that p's next occurrence waits, though v is the policies' verdict: with
// catch_up full nothing that was missed is skipped for another, or for their number. It
// waits for those of them that are under way; what is due in time, only until they are.
func (m *Machine) putOff(p *plan, v verdict) bool {
	switch {
	case len(p.open) == 0, v == wait, v == skipFailed, v == start && len(p.open) < maxOpen:
		return false
	case m.termsOf(p).CatchUp != schema.MissedFull:
		return false
	}
	missed := m.isMissed(p, p.next)
	if v == start || v == skipFull {
		return missed
	}
	for _, o := range p.open {
		if o.caughtUp && (o.attempt == 0 || missed && o.executing()) {
			return true
		}
	}
	return false
}

// chooseMissed picks among the occurrences that fell due while no scheduler acted.
func (t *turn) chooseMissed(p *plan, policy schema.WhenMissed) (calendar.Due, bool) {
	if policy == schema.MissedFull {
		return p.next, true
	}
	since := t.actsOn(p)
	n, last := p.schedule.Passed(p.prev, since.Time())
	late := since.Time().Sub(last.At)
	if policy == schema.MissedNone && late > t.config.MisfireGrace {
		t.skipPassed(p, since, schema.ReasonMissed)
		return calendar.Due{}, false
	}
	t.skipTo(p, n-1, last, schema.ReasonMissed)
	return last, true
}

// skipTo skips the n occurrences before d, which is not among them.
func (t *turn) skipTo(p *plan, n int64, d calendar.Due, why schema.Reason) {
	if n <= 0 {
		return
	}
	_, before := p.schedule.Passed(p.prev, d.At)
	t.skipDue(p, n, before, why)
}

// skipPassed skips all that fell due before a moment.
func (t *turn) skipPassed(p *plan, before unit.Moment, why schema.Reason) {
	if p.inbox != nil {
		return
	}
	if n, last := p.schedule.Passed(p.prev, before.Time()); n > 0 {
		t.skipDue(p, n, last, why)
	}
}

// advance takes all occurrences up to d off the schedule.
func (p *plan) advance(d calendar.Due, now unit.Moment) {
	p.prev = d
	if p.skip != nil && p.skip.K <= d.K {
		p.skip = nil
	}
	if k := p.marked(); k.queued.K != 0 && k.queued.K <= d.K {
		k.queued = calendar.Due{}
		p.mark(k)
	}
	p.lookAhead(now)
}

// skipDue takes n occurrences off the schedule, the last of which is d.
func (t *turn) skipDue(p *plan, n int64, d calendar.Due, why schema.Reason) {
	p.advance(d, t.now)
	p.n++
	p.skipNum += n
	t.publish(p, outcome{
		n: p.n, k: d.K, due: d.At,
		state: schema.StateSkipped, reason: why, count: n, final: true,
	})
}

// take carries out the verdict on an occurrence that is due.
func (t *turn) take(p *plan, d calendar.Due) {
	switch v := t.verdictOn(p); {
	case v == skipBusy: // and with it all that are due, as one result
		t.skipPassed(p, t.now+1, schema.ReasonOverlap)
	case v == skipFull, v == start && p.weight() >= maxOpen:
		t.skipPassed(p, t.now+1, schema.ReasonConcurrency)
	case v == skipFailed: // the next one alone
		p.yield()
		t.skipDue(p, 1, d, schema.ReasonFailure)
	case v == replace, v == cancel: // and again, with room for it, until none is left
		t.giveWay(p, p.open[0])
	default:
		t.open(p, d)
	}
}

// open takes d off the schedule, to be dispatched when it is due and its jitter over.
func (t *turn) open(p *plan, d calendar.Due) {
	due := unit.DueMoment(d.At)
	o := &occurrence{k: d.K, due: due, at: due, caughtUp: t.isMissed(p, d)}
	o.held = t.waited(p, d)
	p.advance(d, t.now)
	if j := p.options().jitter; j > 0 {
		o.at += unit.Moment(t.share("jitter/", p, o.k) * float64(j/time.Microsecond))
	}
	p.open = append(p.open, o)
	t.touch(p)
}

// mayStart reports that o is dispatched when its time has come, as far as its plan is
// concerned, and that the plan does not stand in its station's line.
func (m *Machine) mayStart(p *plan, o *occurrence) bool { return !p.isBehind() && m.isReady(p, o) }

// isReady reports that o may be dispatched as far as its plan is concerned. Retries of a
// plan that is paused wait; the run that somebody asked for does not. What was opened
// while an earlier occurrence was open waits for that, unless they may run at once.
func (m *Machine) isReady(p *plan, o *occurrence) bool {
	fresh := o.attempt == 0
	switch {
	case !p.hasPlace(o), p.closing, p.halt.stopped(), p.votesFull():
		return false
	case p.inbox != nil && p.locked() != nil:
		return false // whoever was to be told of the items has them
	case p.halt == paused && (o.trigger == 0 || !fresh):
		return false
	case !m.mayRunBeside(p):
		return false
	case !fresh || o == p.open[0]:
		return true
	default:
		t := m.termsOf(p)
		return t.Overlap == schema.BusyParallel || t.Overlap == schema.BusyAllow
	}
}

// giveWay settles an open occurrence in favour of the next one. One that waited for its
// retry has failed: it is skipped as any other that gives way, with its last error, and
// counted and called back as a failure, because else nobody were told of a plan that always
// fails, and that repeats sooner than its retries are used up.
func (t *turn) giveWay(p *plan, o *occurrence) {
	if o.delivered() || o.lastError == nil {
		t.abandon(p, o, schema.ReasonOverlap)
		return
	}
	p.settle(o, schema.StateSkipped)
	t.serve(p)
	t.publish(p, outcome{
		n: p.numberOf(o), attempt: o.attempt, state: schema.StateSkipped, reason: schema.ReasonOverlap, count: 1,
		failed: true, error: wire.Text(p.enc, o.lastError.Info), final: true,
	}.of(o))
}

// abandon settles an open occurrence that something else takes the place of:
// what is with a worker is cancelled, what is not is skipped.
func (t *turn) abandon(p *plan, o *occurrence, why schema.Reason) {
	if o.delivered() {
		t.cancelAll(p, o, cancelled(why))
		return
	}
	p.settle(o, schema.StateSkipped)
	t.serve(p)
	t.publish(p, outcome{
		n: p.numberOf(o), attempt: o.attempt, state: schema.StateSkipped, reason: why, count: 1, final: true,
	}.of(o))
}

// cancelAll settles o with said, which is final, ending what is under way of it. It counts
// with the last of them.
func (t *turn) cancelAll(p *plan, o *occurrence, said outcome) {
	for i, x := range o.live {
		ended := outcome{state: said.state, reason: said.reason}
		if i == len(o.live)-1 {
			p.settle(o, schema.StateCancelled)
			t.serve(p)
			ended = said
		}
		t.cancelWorker(p, o, x, said.reason)
		ended.n, ended.attempt, ended.sent, ended.worker, ended.votes = x.n, x.attempt, x.sent, x.worker, x.ballot.voted()
		t.publish(p, ended.of(o))
	}
}

// cancelled is how an occurrence ends that is ended from outside, for a reason.
func cancelled(why schema.Reason) outcome {
	return outcome{state: schema.StateCancelled, reason: why, final: true}
}

// numberOf returns the number of a result that settles o while no worker has it: that
// of its live execution, or of the run that was promised, else a new one.
func (p *plan) numberOf(o *occurrence) int64 {
	switch {
	case o.executing():
		return o.live[len(o.live)-1].n
	case o.trigger != 0 && o.attempt == 0:
		return o.trigger
	default:
		p.n++
		return p.n
	}
}

// settle takes o out of what is open, and counts it. A run that somebody asked for
// counts nowhere.
func (p *plan) settle(o *occurrence, s schema.State) {
	p.withdraw(o)
	p.drop(o)
	if p.inbox != nil {
		p.inbox.settled(o, s == schema.StateOK)
	}
	switch {
	case o.trigger != 0:
	case s == schema.StateSkipped:
		p.skipNum++
	default:
		p.realRepet++
		if s != schema.StateCancelled { // cancelRun judges what somebody cancelled
			p.judge(o, s)
		}
	}
}

// nextLooks are the next moments that matter to p: at which something of it ends, or may be
// sent again, and at which something is to begin.
func (m *Machine) nextLooks(p *plan) (ends, starts unit.Moment) {
	for _, o := range p.open {
		for _, x := range o.live {
			if x.retry != 0 && p.isBlamed() {
				continue // it is not sent before a person has looked
			}
			ends = unit.Sooner(ends, x.endsAt())
		}
	}
	if p.inbox != nil && !p.atWork() {
		ends = unit.Sooner(ends, p.inbox.abandonedAt())
	}
	if p.isGone() && !p.isOut() {
		ends = m.since // what is left is to be skipped, at once
	}
	switch starts = m.starts(p); {
	case m.larges.waits(p):
		return 0, 0
	case p.away:
		return m.larges.of[p].lookAt(ends, starts)
	default:
		return ends, starts
	}
}

// starts is the next moment at which something of p is to be opened or to start.
func (m *Machine) starts(p *plan) unit.Moment {
	at := m.nextTurn(p)
	for _, o := range p.open {
		if o.offer == nil && m.mayStart(p, o) {
			at = unit.Sooner(at, p.startsAt(o))
		}
	}
	return at
}

// done reports that nothing can come of p any more.
func (p *plan) done() bool {
	if p.isBlamed() {
		return false
	}
	if p.closing {
		return !p.executing()
	}
	if p.inbox != nil && !p.inbox.empty() {
		return false
	}
	return p.next.K == 0 && len(p.open) == 0
}
