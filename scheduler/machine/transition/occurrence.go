package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// openDue opens or skips the occurrences of p that have fallen due.
func openDue(t *Turn, p *state.Plan) {
	if t.Holding.On {
		return
	}
	if p.Inbox != nil {
		t.callUp(p)
		return
	}
	for t.GoesOn() {
		if at := admission.NextTurn(t.Partition, p); at == 0 || at > t.Now {
			return
		}
		switch {
		case p.IsPaused():
			t.SkipPassed(p, t.Now+1, schema.ReasonPaused)
		case p.ExcludesNext():
			SkipExcluded(t, p, (t.Now + 1).Time())
		case p.WaitsFor(t.Now):
		case p.SkipsNext():
			t.SkipAsked(p)
		case admission.HasToWait(t.Partition, p):
			t.passBy(p)
		default:
			if d, ok := t.choose(p, unit.DueMoment(p.Next.At)); ok {
				t.take(p, d)
			}
		}
	}
}

// choose picks the due occurrence to take now, and skips those before it that will never run.
// False: all of them were skipped.
func (t *Turn) choose(p *state.Plan, due unit.Moment) (calendar.Due, bool) {
	terms := t.TermsOf(p)
	if p.Schedule.Continuous() {
		return p.Next, true // it follows the one before, so none was missed
	}
	if admission.Waited(t.Partition, p, p.Next) {
		return p.Next, true // no matter which leader was active when it fell due
	}
	// Under full all occurrences that were past when p was accepted run, unless each takes the
	// place of the one before, because there would be a result for each second since 1970.
	if due < t.ActsOn(p) && (terms.CatchUp != schema.MissedFull || due >= p.Accepted) {
		return t.chooseMissed(p, terms.CatchUp)
	}
	why := schema.ReasonPast // lost to a long execution
	switch terms.Overlap {
	case schema.BusySkip:
	case schema.BusyCancelPrev:
		why = schema.ReasonOverlap // each would take the place of the one before
	default:
		return p.Next, true
	}
	run, more := dueRun(p, t.Now+1)
	because := Because(t, p, why)
	if why == schema.ReasonOverlap {
		because = given(max(run.Last.K, more.K), 0)
	}
	if more.K != 0 {
		t.skipDue(p, run.N, run.Last, why, because)
		return calendar.Due{}, false
	}
	t.skipTo(p, run.N-1, run.Last, why, because)
	return run.Last, true
}

// chooseMissed picks among the occurrences that fell due while there was no leader.
func (t *Turn) chooseMissed(p *state.Plan, policy schema.WhenMissed) (calendar.Due, bool) {
	if policy == schema.MissedFull {
		return p.Next, true
	}
	since := t.ActsOn(p)
	run, more := dueRun(p, since)
	late := since.Time().Sub(run.Last.At)
	if more.K != 0 || policy == schema.MissedNone && late > t.Config.MisfireGrace {
		t.skipDue(p, run.N, run.Last, schema.ReasonMissed, Because(t, p, schema.ReasonMissed))
		return calendar.Due{}, false
	}
	t.skipTo(p, run.N-1, run.Last, schema.ReasonMissed, Because(t, p, schema.ReasonMissed))
	return run.Last, true
}

// skipTo skips the n occurrences before d, which itself stays.
func (t *Turn) skipTo(p *state.Plan, n int64, d calendar.Due, why schema.Reason, because *schema.Because) {
	if n <= 0 {
		return
	}
	_, before := p.Schedule.Passed(p.Prev, d.At)
	t.skipDue(p, n, before, why, because)
}

// SkipPassed skips all occurrences that fell due before a moment, because of the state of p.
func (t *Turn) SkipPassed(p *state.Plan, before unit.Moment, why schema.Reason) {
	skipPassed(t, p, before, why, func() *schema.Because { return Because(t, p, why) })
}

// skipDue takes n occurrences off the schedule, the last of which is d.
func (t *Turn) skipDue(p *state.Plan, n int64, d calendar.Due, why schema.Reason, because *schema.Because) {
	from := p.Schedule.MovedFrom(d.At)
	p.Advance(d, t.Now)
	p.N++
	p.SkipNum += n
	t.Publish(p, Outcome{
		N: p.N, K: d.K, Due: d.At, from: from,
		State: schema.StateSkipped, Reason: why, Because: because, count: n, Final: true,
	})
}

// take carries out the admission verdict on a due occurrence.
func (t *Turn) take(p *state.Plan, d calendar.Due) {
	switch v := admission.VerdictOn(t.Partition, p); {
	case v.Reason == schema.ReasonFailure: // the next one alone
		p.Yield()
		t.skipDue(p, 1, d, v.Reason, v.By.Because())
	case v.Do == admission.Skip: // all due occurrences, as one result
		skipPassed(t, p, t.Now+1, v.Reason, v.By.Because)
	case v.Do == admission.Replace, v.Do == admission.Cancel: // repeated, with room for the next one, until none is left
		t.giveWay(p, p.Open[0], d)
	case v.Do == admission.Start && p.Weight() >= state.MaxOpen:
		t.SkipPassed(p, t.Now+1, schema.ReasonConcurrency)
	default:
		t.Open(p, d)
	}
}

// Open takes d off the schedule, to be dispatched when it is due and its jitter is over.
func (t *Turn) Open(p *state.Plan, d calendar.Due) {
	due := unit.DueMoment(d.At)
	o := &state.Occurrence{K: d.K, Due: due, From: unit.MomentOf(p.Schedule.MovedFrom(d.At)), At: due, CaughtUp: admission.IsMissed(t.Partition, p, d)}
	o.Held = admission.Waited(t.Partition, p, d)
	p.Advance(d, t.Now)
	if p.Options().Jitter > 0 {
		o.At += unit.Moment(t.Share("jitter/", p, o.K) * float64(admission.MostJitter(t.Partition, p, due)))
	}
	opensLate(t, p, o)
	p.Open = append(p.Open, o)
	t.Touch(p)
}

// giveWay settles an open occurrence in favour of the next one. An occurrence that waited for
// its retry has failed. It is skipped like any other that gives way, with its last error, but
// counted and called back as a failure, because otherwise a plan that always fails, and repeats
// before its retries are used up, would never cause a callback.
func (t *Turn) giveWay(p *state.Plan, o *state.Occurrence, d calendar.Due) {
	because := given(d.K, 0)
	if o.Delivered() || o.LastError == nil {
		t.Abandon(p, o, schema.ReasonOverlap, because)
		return
	}
	p.Settle(o, schema.StateSkipped)
	t.Publish(p, Outcome{
		N: p.NumberOf(o), Attempt: o.Attempt, State: schema.StateSkipped, Reason: schema.ReasonOverlap, Because: because, count: 1,
		failed: true, error: wire.Text(p.Enc, o.LastError.Info), Final: true,
	}.Of(o))
}

// Abandon settles an open occurrence whose place is taken: its delivered executions are
// cancelled, an undelivered occurrence is skipped.
func (t *Turn) Abandon(p *state.Plan, o *state.Occurrence, why schema.Reason, because *schema.Because) {
	if o.Delivered() {
		t.CancelAll(p, o, Cancelled(why, because))
		return
	}
	p.Settle(o, schema.StateSkipped)
	t.Publish(p, Outcome{
		N: p.NumberOf(o), Attempt: o.Attempt, State: schema.StateSkipped, Reason: why, Because: because, count: 1, Final: true,
	}.Of(o))
}

// CancelAll settles o with res, which is final, and ends its executions. The result of the
// last one carries the outcome.
func (t *Turn) CancelAll(p *state.Plan, o *state.Occurrence, res Outcome) {
	for i, x := range o.Live {
		ended := Outcome{State: res.State, Reason: res.Reason, Because: res.Because}
		if i == len(o.Live)-1 {
			p.Settle(o, schema.StateCancelled)
			ended = res
		}
		t.cancelWorker(p, o, x, res.Reason)
		ended.N, ended.Attempt, ended.sent, ended.worker, ended.votes, ended.spent = x.N, x.Attempt, x.Sent, x.Worker, x.Ballot.Voted(), x.Late
		t.Publish(p, ended.Of(o))
	}
}

// Cancelled is the outcome of an occurrence that a request or another occurrence ends, with a
// reason.
func Cancelled(why schema.Reason, because *schema.Because) Outcome {
	return Outcome{State: schema.StateCancelled, Reason: why, Because: because, Final: true}
}
