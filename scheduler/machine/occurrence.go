package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// openDue opens or skips the occurrences of p that have fallen due.
func (t *Turn) openDue(p *state.Plan) {
	if t.hold.on {
		return
	}
	if p.Inbox != nil {
		t.callUp(p)
		return
	}
	for t.b.Room(p.Cost()) {
		if at := nextTurn(t.Partition, p); at == 0 || at > t.now {
			return
		}
		switch {
		case p.Halt == state.Paused:
			t.skipPassed(p, t.now+1, schema.ReasonPaused)
		case p.SkipsNext():
			t.skipAsked(p)
		case hasToWait(t.Partition, p):
			t.passBy(p)
		default:
			if d, ok := t.choose(p, unit.DueMoment(p.Next.At)); ok {
				t.take(p, d)
			}
		}
	}
}

// nextTurn is the moment at which p's next occurrence is to be opened or skipped; none
// while something else has to happen first.
func nextTurn(m *Partition, p *state.Plan) unit.Moment {
	switch {
	case p.Inbox != nil:
		return p.InboxTurn()
	case p.Next.K == 0, p.Closing, p.Halt.Stopped(), p.Rests():
		return 0
	case p.Halt == state.Paused:
		return p.NextNote()
	case !p.SkipsNext() && judgesLater(m, p):
		return 0
	case !p.SkipsNext() && hasToWait(m, p):
		return unit.Sooner(nextInQueue(m, p), nextLost(m, p))
	default:
		return unit.DueMoment(p.Next.At)
	}
}

// hasToWait reports that p's next occurrence waits until something of p ends.
func hasToWait(m *Partition, p *state.Plan) bool {
	return p.Busy() != state.Idle && verdictOn(m, p) == wait
}

// verdictOn admits p's next occurrence. One that follows the one before is due when
// that is settled, and so never meets it.
func verdictOn(m *Partition, p *state.Plan) verdict {
	l := p.Busy()
	switch {
	case l == state.Idle && p.Marks == nil && m.limit(p.Station) == 0:
		return start // whatever the policy, which need not be looked up for it
	case l != state.Idle && p.Schedule.Continuous():
		return wait
	}
	v := admit(questionOf(m, p, l))
	if putOff(m, p, v) {
		return wait
	}
	return v
}

// choose picks, of the occurrences that are due, the one to take now, and skips
// those before it that will never run. False: all of them were skipped.
func (t *Turn) choose(p *state.Plan, due unit.Moment) (calendar.Due, bool) {
	terms := t.termsOf(p)
	if p.Schedule.Continuous() {
		return p.Next, true // it follows the one before, so none was missed
	}
	if waited(t.Partition, p, p.Next) {
		return p.Next, true // whoever acted when it fell due
	}
	// Of what was past when p was accepted all runs under full, as far as one does not take
	// the place of the one before: else there is a result for each second since 1970.
	if due < t.actsOn(p) && (terms.CatchUp != schema.MissedFull || due >= p.Accepted) {
		return t.chooseMissed(p, terms.CatchUp)
	}
	why := schema.ReasonPast // lost to an execution that took its time
	switch terms.Overlap {
	case schema.BusySkip:
	case schema.BusyCancelPrev:
		why = schema.ReasonOverlap // each would take the place of the one before
	default:
		return p.Next, true
	}
	n, last := p.Schedule.Passed(p.Prev, (t.now + 1).Time())
	t.skipTo(p, n-1, last, why)
	return last, true
}

// waited reports that d, the next occurrence of p, waited its turn: somebody acted when
// it fell due.
func waited(m *Partition, p *state.Plan, d calendar.Due) bool {
	return d.K <= p.Marked().Queued.K && queues(m, p)
}

// isMissed reports that d, the next occurrence of p, fell due while no scheduler acted. One
// that was past already when p was accepted was not missed: its publisher wants it late.
func isMissed(m *Partition, p *state.Plan, d calendar.Due) bool {
	due := unit.DueMoment(d.At)
	return due < m.actsOn(p) && due >= p.Accepted &&
		p.Inbox == nil && !p.Schedule.Continuous() && !waited(m, p, d)
}

// putOff reports that p's next occurrence waits, though v is the policies' verdict: with
// catch_up full nothing that was missed is skipped for another, or for their number. It
// waits for those of them that are under way; what is due in time, only until they are.
func putOff(m *Partition, p *state.Plan, v verdict) bool {
	switch {
	case len(p.Open) == 0, v == wait, v == skipFailed, v == start && len(p.Open) < state.MaxOpen:
		return false
	case m.termsOf(p).CatchUp != schema.MissedFull:
		return false
	}
	missed := isMissed(m, p, p.Next)
	if v == start || v == skipFull {
		return missed
	}
	for _, o := range p.Open {
		if o.CaughtUp && (o.Attempt == 0 || missed && o.Executing()) {
			return true
		}
	}
	return false
}

// chooseMissed picks among the occurrences that fell due while no scheduler acted.
func (t *Turn) chooseMissed(p *state.Plan, policy schema.WhenMissed) (calendar.Due, bool) {
	if policy == schema.MissedFull {
		return p.Next, true
	}
	since := t.actsOn(p)
	n, last := p.Schedule.Passed(p.Prev, since.Time())
	late := since.Time().Sub(last.At)
	if policy == schema.MissedNone && late > t.config.MisfireGrace {
		t.skipPassed(p, since, schema.ReasonMissed)
		return calendar.Due{}, false
	}
	t.skipTo(p, n-1, last, schema.ReasonMissed)
	return last, true
}

// skipTo skips the n occurrences before d, which is not among them.
func (t *Turn) skipTo(p *state.Plan, n int64, d calendar.Due, why schema.Reason) {
	if n <= 0 {
		return
	}
	_, before := p.Schedule.Passed(p.Prev, d.At)
	t.skipDue(p, n, before, why)
}

// skipPassed skips all that fell due before a moment.
func (t *Turn) skipPassed(p *state.Plan, before unit.Moment, why schema.Reason) {
	if p.Inbox != nil {
		return
	}
	if n, last := p.Schedule.Passed(p.Prev, before.Time()); n > 0 {
		t.skipDue(p, n, last, why)
	}
}

// skipDue takes n occurrences off the schedule, the last of which is d.
func (t *Turn) skipDue(p *state.Plan, n int64, d calendar.Due, why schema.Reason) {
	p.Advance(d, t.now)
	p.N++
	p.SkipNum += n
	t.publish(p, outcome{
		n: p.N, k: d.K, due: d.At,
		state: schema.StateSkipped, reason: why, count: n, final: true,
	})
}

// take carries out the verdict on an occurrence that is due.
func (t *Turn) take(p *state.Plan, d calendar.Due) {
	switch v := verdictOn(t.Partition, p); {
	case v == skipBusy: // and with it all that are due, as one result
		t.skipPassed(p, t.now+1, schema.ReasonOverlap)
	case v == skipFull, v == start && p.Weight() >= state.MaxOpen:
		t.skipPassed(p, t.now+1, schema.ReasonConcurrency)
	case v == skipFailed: // the next one alone
		p.Yield()
		t.skipDue(p, 1, d, schema.ReasonFailure)
	case v == replace, v == cancel: // and again, with room for it, until none is left
		t.giveWay(p, p.Open[0])
	default:
		t.open(p, d)
	}
}

// open takes d off the schedule, to be dispatched when it is due and its jitter over.
func (t *Turn) open(p *state.Plan, d calendar.Due) {
	due := unit.DueMoment(d.At)
	o := &state.Occurrence{K: d.K, Due: due, At: due, CaughtUp: isMissed(t.Partition, p, d)}
	o.Held = waited(t.Partition, p, d)
	p.Advance(d, t.now)
	if p.Options().Jitter > 0 {
		o.At += unit.Moment(t.share("jitter/", p, o.K) * float64(mostJitter(t.Partition, p, due)))
	}
	p.Open = append(p.Open, o)
	t.touch(p)
}

// mayStart reports that o is dispatched when its time has come, as far as its plan is
// concerned, and that the plan does not stand in its station's line.
func mayStart(m *Partition, p *state.Plan, o *state.Occurrence) bool {
	return !p.IsBehind() && isReady(m, p, o)
}

// isReady reports that o may be dispatched as far as its plan is concerned. Retries of a
// plan that is paused wait; the run that somebody asked for does not. What was opened
// while an earlier occurrence was open waits for that, unless they may run at once.
func isReady(m *Partition, p *state.Plan, o *state.Occurrence) bool {
	fresh := o.Attempt == 0
	switch {
	case !p.HasPlace(o), p.Closing, p.Halt.Stopped(), p.VotesFull():
		return false
	case p.Inbox != nil && p.Locked() != nil:
		return false // whoever was to be told of the items has them
	case p.Halt == state.Paused && (o.Trigger == 0 || !fresh):
		return false
	case !mayRunBeside(m, p):
		return false
	case !fresh || o == p.Open[0]:
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
func (t *Turn) giveWay(p *state.Plan, o *state.Occurrence) {
	if o.Delivered() || o.LastError == nil {
		t.abandon(p, o, schema.ReasonOverlap)
		return
	}
	p.Settle(o, schema.StateSkipped)
	t.serve(p)
	t.publish(p, outcome{
		n: p.NumberOf(o), attempt: o.Attempt, state: schema.StateSkipped, reason: schema.ReasonOverlap, count: 1,
		failed: true, error: wire.Text(p.Enc, o.LastError.Info), final: true,
	}.of(o))
}

// abandon settles an open occurrence that something else takes the place of:
// what is with a worker is cancelled, what is not is skipped.
func (t *Turn) abandon(p *state.Plan, o *state.Occurrence, why schema.Reason) {
	if o.Delivered() {
		t.cancelAll(p, o, cancelled(why))
		return
	}
	p.Settle(o, schema.StateSkipped)
	t.serve(p)
	t.publish(p, outcome{
		n: p.NumberOf(o), attempt: o.Attempt, state: schema.StateSkipped, reason: why, count: 1, final: true,
	}.of(o))
}

// cancelAll settles o with said, which is final, ending what is under way of it. It counts
// with the last of them.
func (t *Turn) cancelAll(p *state.Plan, o *state.Occurrence, said outcome) {
	for i, x := range o.Live {
		ended := outcome{state: said.state, reason: said.reason}
		if i == len(o.Live)-1 {
			p.Settle(o, schema.StateCancelled)
			t.serve(p)
			ended = said
		}
		t.cancelWorker(p, o, x, said.reason)
		ended.n, ended.attempt, ended.sent, ended.worker, ended.votes = x.N, x.Attempt, x.Sent, x.Worker, x.Ballot.Voted()
		t.publish(p, ended.of(o))
	}
}

// cancelled is how an occurrence ends that is ended from outside, for a reason.
func cancelled(why schema.Reason) outcome {
	return outcome{state: schema.StateCancelled, reason: why, final: true}
}

// nextLooks are the next moments that matter to p: at which something of it ends, or may be
// sent again, and at which something is to begin.
func nextLooks(m *Partition, p *state.Plan) (ends, starts unit.Moment) {
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Retry != 0 && p.IsBlamed() {
				continue // it is not sent before a person has looked
			}
			ends = unit.Sooner(ends, x.EndsAt())
		}
	}
	if p.Inbox != nil && !p.AtWork() {
		ends = unit.Sooner(ends, p.Inbox.AbandonedAt())
	}
	if p.IsGone() && !p.IsOut() {
		ends = m.since // what is left is to be skipped, at once
	}
	switch starts = nextStart(m, p); {
	case m.larges.Waits(p):
		return 0, 0
	case p.Away:
		return m.larges.Of[p].LookAt(ends, starts)
	default:
		return ends, starts
	}
}

// nextStart is the next moment at which something of p is to be opened or to start.
func nextStart(m *Partition, p *state.Plan) unit.Moment {
	at := nextTurn(m, p)
	for _, o := range p.Open {
		if o.Offer == nil && mayStart(m, p, o) {
			at = unit.Sooner(at, p.StartsAt(o))
		}
	}
	return at
}
