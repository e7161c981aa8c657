package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ReplyReceived handles a worker's reply. A reply with a wrong nonce is a stranger's and is not
// acknowledged at all.
func (t *Turn) ReplyReceived(ev event.ReplyReceived) {
	p := t.Plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
	if p == nil {
		late(t, ev)
		return
	}
	t.At(p)
	if why := ev.Reply.Fit(p.Enc); why != "" {
		ev.Reason = why
	}
	if !t.IsNonce(p, ev.About.N, ev.About.Nonce) {
		t.Counts.Strangers++
		return
	}
	if ev.Reply.Stream != "" {
		confirmed(t, p, ev.About.N)
		return
	}
	if isLast(ev.Reply.State) && !t.IsResident(p) {
		t.FetchFor(p, ev) // because its result repeats the whole definition
		return
	}
	if id := ev.Reply.WorkerID; id != "" {
		t.Registry.Reply(id, p.Name.Station, t.Now)
	}
	o, x := p.Find(ev.About.N)
	ack := schema.Ack{Ack: true, Accepted: true}
	if x == nil {
		if !afterItsEnd(t, p, o, ev) {
			return
		}
	} else {
		x.Retry, x.Misses, x.Others, x.Adopted = 0, 0, nil, false
		x.ReplyReceived = true
		if t.MayKeep(p, x, ev.Reply.State) {
			ack.Accepted = handleReply(t, p, o, x, ev)
			if x.Claimed && partition.IsPing(ev.Reply.State) {
				ack.PingIntervalMS = t.pinged(p, x)
			}
		} else {
			dismiss(t, p, o, x)
			ack.Accepted, ack.Cancel = false, true
		}
	}
	t.Batch.Acknowledge(ev.From, ack)
	if ev.Captured {
		t.conclude(p)
		t.EvaluateLater(p) // an immediate look could end the execution of the next reply
		return
	}
	t.Evaluate(p)
}

// confirmed notes that a stream which captures the station's subject has confirmed execution n
// as a message. Because this is not a worker's reply, and a worker may have the execution or
// not, it waits as before.
func confirmed(t *Turn, p *state.Plan, n int64) {
	t.Counts.Confirmations++
	if o, x := p.Find(n); x != nil {
		t.Notify(p, schema.Notice{
			Kind: schema.NoticeNotWorker, Reason: schema.ReasonCaptured,
			Occurrence: o.K, Attempt: x.Attempt, N: x.N, PlanTime: o.Due.Time(),
		})
	}
}

// isLast reports that a reply with this state may end an execution.
func isLast(s schema.State) bool { return s != schema.StateRunning && s != schema.StateWaiting }

// handleReply carries out a reply to a live execution; false if it changed nothing.
func handleReply(t *Turn, p *state.Plan, o *state.Occurrence, x *state.Execution, ev event.ReplyReceived) bool {
	if x.Ballot != nil {
		return takeVote(t, p, o, x, ev)
	}
	r := &ev.Reply
	if x.Claimed && r.State == schema.StateNotWorker {
		return t.givenBack(p, o, x, r.WorkerID)
	}
	res := Outcome{Content: r.Content, error: r.Error, worker: r.WorkerID, Reason: ev.Reason, Silent: unwanted(r), overflow: r.Overflow}
	if res.worker == "" || x.Claimed {
		res.worker = x.Worker
	}
	switch r.State {
	case schema.StateRunning:
		running(t, p, o, x, r)
	case schema.StateWaiting:
		waiting(t, p, o, x, r)
	case schema.StateOK:
		t.done(p, o, x, res)
	case schema.StateError:
		o.Doubt(r.Unsure)
		if r.Retry != nil && !*r.Retry {
			res.State, res.Reason = schema.StateFailure, schema.ReasonWorker
			p.CountFailure(o, x)
			p.Inbox.Answered()
			t.GiveUp(p, o, x, res)
			break
		}
		t.failed(p, o, x, res, r)
	case schema.StateFailure:
		res.Reason = schema.ReasonWorker
		t.halted(p, o, x, res)
	default:
		res.Reason = schema.ReasonUnknownState
		if res.error.IsZero() {
			res.error = wire.Text(p.Enc, schema.UnknownState(r.State))
		}
		t.halted(p, o, x, res)
	}
	return true
}

// running notes that a worker has begun; a repetition is a ping and changes nothing.
func running(t *Turn, p *state.Plan, o *state.Occurrence, x *state.Execution, r *schema.Reply) {
	progressed(x, r)
	if x.State == schema.StateRunning {
		return
	}
	x.State = schema.StateRunning
	if r.WorkerID != "" && !x.Claimed {
		x.Worker = r.WorkerID
	}
	t.Touch(p)
	t.NotifyExecution(p, o, x, schema.NoticeRunning, r.Progress)
}

// progressed notes the progress of the work; a reply without it changes nothing.
func progressed(x *state.Execution, r *schema.Reply) {
	if r.Progress != nil {
		x.Progress = r.Progress
	}
}

// waiting moves the deadline, because the worker needs longer.
func waiting(t *Turn, p *state.Plan, o *state.Occurrence, x *state.Execution, r *schema.Reply) {
	progressed(x, r)
	extend := t.TermsOf(p).ExecTimeout
	if r.Extend != nil {
		extend = r.Extend.Duration()
	}
	if x.Deadline != 0 {
		x.Deadline = max(x.Deadline, t.Now.After(extend))
	}
	x.State = schema.StateWaiting
	if r.WorkerID != "" && !x.Claimed {
		x.Worker = r.WorkerID
	}
	t.Touch(p)
	t.NotifyExecution(p, o, x, schema.NoticeWaiting, r.Progress)
}

// unwanted reports that a worker replied ok and asked for no callback.
func unwanted(r *schema.Reply) bool {
	return r.State == schema.StateOK && r.Callback != nil && !*r.Callback
}

// Succeed settles o with the ok of its execution n.
func (t *Turn) Succeed(p *state.Plan, o *state.Occurrence, n, attempt int64, res Outcome) {
	until, by := t.Now, admission.RefTo(o)
	for _, x := range o.Live {
		if x.N == n {
			res.sent, res.spent, by = x.Sent, x.Late, admission.RefToExecution(o, x)
			if x.AwaitsReplies() {
				until = x.HeldDeadline // the late reply counts at that moment and no later
			}
		}
	}
	t.cancelOthers(p, o, n)
	p.Settle(o, schema.StateOK)
	res.N, res.Attempt, res.State, res.Final = n, attempt, schema.StateOK, true
	t.Publish(p, res.Of(o))
	if p.NeedsPerson() && !p.AwaitsPerson() && !p.IsBlamed() {
		t.ServeAgain(p) // because the execution that stopped the plan was done after all
	}
	t.Free(p, until, by)
}

// cancelOthers ends the executions of o other than n.
func (t *Turn) cancelOthers(p *state.Plan, o *state.Occurrence, n int64) {
	for _, x := range o.Live {
		if x.N == n {
			continue
		}
		t.cancelWorker(p, o, x, "")
		t.Publish(p, Outcome{
			N: x.N, Attempt: x.Attempt, sent: x.Sent, spent: x.Late, State: schema.StateCancelled, worker: x.Worker,
			votes: x.Ballot.Voted(), terse: o.IsShared(),
		}.Of(o))
	}
}

// Free lets the plan go on after an execution, by, has ended. Occurrences that fell due until then
// were lost to it and are skipped; those that fell due without a leader are exempt, because
// otherwise a failover would lose them. An occurrence that follows the one before is due now.
// Occurrences that fall due while the plan is paused, or are to be skipped, are looked at in
// their time.
func (t *Turn) Free(p *state.Plan, until unit.Moment, by admission.Ref) {
	switch {
	case p.Schedule.Continuous():
		p.LookAhead(t.Now)
	case p.IsPaused() || p.Skip != nil:
	case p.Next.K == 0 || p.Closing || p.Executing() || t.TermsOf(p).Overlap != schema.BusySkip:
	case unit.DueMoment(p.Next.At) >= t.Since:
		skipPassed(t, p, until, schema.ReasonPast, by.Because)
	}
}
