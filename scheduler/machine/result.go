package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An outcome is what a result says beyond the plan's own fields.
type outcome struct {
	n, k, attempt  int64
	late           int64  // of a late ok, the number of the execution whose it is
	trigger        int64  // as in an occurrence
	madeBy         string // as an occurrence says
	due            time.Time
	sent           unit.Moment
	state          schema.State
	reason         schema.Reason
	cause          schema.Reason // of a failure: the reason of the timeout that it was
	count          int64
	content, error wire.Value
	worker         string
	final          bool
	whole          bool // it repeats all of the definition that results may
	terse          bool // and this one as little as can be
	votes          []schema.Vote
	stops          bool  // the plan stops here, until a person acts
	overflow       bool  // an error that was an ok, of more than is kept
	silent         bool  // nobody is called back
	failed         bool  // it was skipped when it had failed, and counts as a failure
	errors         int64 // of its occurrence so far
	lastError      *schema.LastError
	// until is the moment before which what fell due was lost to it; none: until now.
	until unit.Moment
}

// of says which occurrence the outcome is about.
func (said outcome) of(o *state.Occurrence) outcome {
	said.k, said.trigger, said.madeBy, said.due = o.K, o.Trigger, o.MadeBy(), o.Due.Time()
	said.errors, said.lastError = o.Errors, o.LastError
	return said
}

// becomeFailure makes an error or a timeout, after which nobody tries again, a failure.
// What a timeout was is not forgotten, nor that an error was an ok of too many bytes.
func (said *outcome) becomeFailure(why schema.Reason) {
	if said.state == schema.StateTimeout || said.overflow {
		said.cause = said.reason
	}
	said.state, said.reason = schema.StateFailure, why
}

// publish writes a result as a row and broadcasts it.
func (t *Turn) publish(p *state.Plan, said outcome) {
	t.touch(p)
	p.Last = state.LastStateOf(said.counts())
	opts := p.Options()
	out := event.Publish{
		Name: p.Name, N: said.n, Body: t.resultBody(p, &said, opts.Log), Enc: p.Enc,
		State: said.state, Reason: said.reason, Count: said.count, Failed: said.failed,
	}
	if said.sent != 0 {
		out.Took = t.now.Time().Sub(said.sent.Time())
	}
	call := t.prepareCall(p, &said, out.Body)
	if keepsResult(p, &said) {
		t.b.AppendRow(event.RowResult, p.Name, said.n, out.Body)
		t.b.Results++
		out.Row = uint32(t.b.Results)
	}
	t.b.Effect(out)
	if kind := noticeOf(&said); kind != "" {
		t.tell(p, schema.Notice{
			Kind: kind, Occurrence: said.k, Attempt: said.attempt, N: said.n, PlanTime: said.due,
			Reason: said.reason, WorkerID: said.worker,
		})
	}
	if call != nil {
		t.callBack(p, call, &said, &out)
	}
}

// triesKept is how many tries of a callback are all kept as results.
const triesKept = 16

// keepsResult reports that a result of p is a row, and stored. Callbacks are tried for ever,
// once a minute in the end: of the later tries that failed only those are kept before which
// there were twice as many, so that one which is never taken does not fill the history.
func keepsResult(p *state.Plan, said *outcome) bool {
	if p.Options().Log == schema.LogNone {
		return false
	}
	_, calls := schema.CalledBack(p.Name.Station)
	return !calls || said.concludes() || said.attempt <= triesKept || said.attempt&(said.attempt-1) == 0
}

// noticeOf is the event that goes with a result, if any.
func noticeOf(said *outcome) schema.NoticeKind {
	switch {
	case said.state == schema.StateSkipped:
		return schema.NoticeSkipped
	case said.state == schema.StateTimeout:
		return schema.NoticeTimeout
	default:
		return ""
	}
}

// resultRoom is about what most results have beside texts of their own.
const resultRoom = 352

// resultBody encodes a result in the plan's encoding: the part of the definition
// that it repeats, copied, and what is new.
func (t *Turn) resultBody(p *state.Plan, said *outcome, log schema.LogMode) []byte {
	r := schema.Result{
		Occurrence: said.k, Attempt: said.attempt, N: said.n, Of: said.late,
		Key:      schema.PlanKeyOf(p.Name, p.Incarnation, said.k),
		PlanTime: said.due, ExecTime: said.sent.Time(), EndTime: t.now.Time(),
		State: said.state, Reason: said.reason, Cause: said.cause, Trigger: said.madeBy, WorkerID: said.worker,
		Content: said.content, Error: said.error,
		Votes: said.votes, RealRepet: p.RealRepet, SkipNum: p.SkipNum, Final: said.final,
	}
	if said.count > 1 {
		r.Count = said.count
	}
	if said.trigger != 0 {
		r.Key = schema.TriggerKeyOf(p.Name, p.Incarnation, said.trigger)
	}
	if p.IsTask() {
		r.CreateDate, r.ErrorCount = p.Accepted.Time(), said.errors
		if said.final && (said.state == schema.StateOK || said.whole) {
			r.LastError = said.lastError
		}
	}
	shared, count := p.Told()
	if log == schema.LogTrigger {
		r.Content, r.Votes = wire.Value{}, withoutContent(said.votes)
		shared, count = schema.WithoutMessages(p.Enc, shared)
		if callbackOf(p, said) != nil { // an item with all of it goes into the same append
			shared, count = curtail(t.Partition, p, shared, count)
		}
	}
	if !said.whole && (said.state == schema.StateSkipped || said.state == schema.StateCancelled) {
		shared, count = curtail(t.Partition, p, shared, count)
		if said.terse {
			shared, count = schema.Within(p.Enc, shared, count, maxTerse)
		}
	}
	room := resultRoom + len(shared) + len(r.Key) + len(r.WorkerID) + len(r.Content.Raw()) + len(r.Error.Raw())
	t.w.Reset(p.Enc, make([]byte, 0, room))
	r.AppendTo(&t.w, shared, count)
	return t.w.Bytes()
}

// counts is the state that a result counts as for who is to be told of failures.
func (said *outcome) counts() schema.State {
	if said.failed {
		return schema.StateFailure
	}
	return said.state
}

// curtail leaves out of what a result of p repeats what does not fit: messages, then ext,
// and so on. Those of a large definition are left out whether they are in memory or away.
func curtail(m *Partition, p *state.Plan, shared []byte, count int) ([]byte, int) {
	if m.isLarge(p) {
		shared, count = schema.WithoutMessages(p.Enc, shared)
	}
	return schema.Within(p.Enc, shared, count, state.MaxRepeated)
}

// maxTerse bounds what a result repeats of the definition when many like it have to fit in
// one append with one that is large: more than a plan's name takes.
const maxTerse = 320

// tell announces an event of p.
func (t *Turn) tell(p *state.Plan, n schema.Notice) {
	n.Station, n.PlanID, n.Time = p.Name.Station, p.Name.PlanID, t.now.Time()
	t.b.Effect(event.Tell{Notice: n, Enc: p.Enc})
}

func (t *Turn) tellExecution(p *state.Plan, o *state.Occurrence, x *state.Execution, kind schema.NoticeKind, progress *float64) {
	t.tell(p, schema.Notice{
		Kind: kind, Occurrence: o.K, Attempt: x.Attempt, N: x.N, PlanTime: o.Due.Time(),
		WorkerID: x.Worker, Progress: progress,
	})
}

// touch books p's state as a row of b, and for the bucket.
func (t *Turn) touch(p *state.Plan) {
	t.b.Touch(p)
	t.unwrite(p, t.b.Number, t.now)
}

// withoutContent leaves out of votes what log trigger does not keep.
func withoutContent(votes []schema.Vote) []schema.Vote {
	out := make([]schema.Vote, len(votes))
	for i, v := range votes {
		v.Content = wire.Value{}
		out[i] = v
	}
	return out
}
