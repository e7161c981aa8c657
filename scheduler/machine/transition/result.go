package transition

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Outcome is the part of a result that the plan's own fields do not give.
type Outcome struct {
	N, K, Attempt  int64
	late           int64  // of a late ok, its execution's number
	trigger        int64  // as in an occurrence
	madeBy         string // as in an occurrence
	Due            time.Time
	from           time.Time // as in an occurrence
	sent           unit.Moment
	State          schema.State
	Reason         schema.Reason
	cause          schema.Reason // of a failure: the reason of the timeout that became it
	Because        *schema.Because
	asked          *schema.Attribution // of a run that a user triggered: who asked for it
	spent          *state.Spent        // why its execution began late; nil: it did not
	count          int64
	Content, error wire.Value
	worker         string
	Final          bool
	Whole          bool // it repeats the whole definition that results may repeat
	terse          bool // it repeats as little of the definition as possible
	votes          []schema.Vote
	stops          bool  // the plan is suspended here, until a person acts
	overflow       bool  // an error that was an ok above the size limit
	Silent         bool  // there is no callback
	failed         bool  // it was skipped after a failure, and counts as a failure
	errors         int64 // of its occurrence so far
	lastError      *schema.LastError
	// until is the moment before which due occurrences were lost to the execution; 0: now.
	until unit.Moment
}

// Of sets the occurrence of the outcome.
func (res Outcome) Of(o *state.Occurrence) Outcome {
	res.K, res.trigger, res.madeBy, res.Due, res.from = o.K, o.Trigger, o.MadeBy(), o.Due.Time(), o.From.Time()
	res.errors, res.lastError, res.asked = o.Errors, o.LastError, o.Asked
	return res
}

// becomeFailure makes an error or a timeout without a further retry a failure. Its cause keeps
// the reason of a timeout, or that an error was an ok of too many bytes.
func (res *Outcome) becomeFailure(why schema.Reason) {
	if res.State == schema.StateTimeout || res.overflow {
		res.cause = res.Reason
	}
	res.State, res.Reason = schema.StateFailure, why
}

// Publish writes a result as a row and broadcasts it.
func (t *Turn) Publish(p *state.Plan, res Outcome) {
	t.Touch(p)
	t.results++
	res.terse = res.terse || t.tight == terse
	p.Last = state.LastStateOf(res.counts())
	p.Runs.Add(res.State)
	opts := p.Options()
	out := event.Publish{
		Name: p.Name, N: res.N, Body: resultBody(t, p, &res, opts.Log), Enc: p.Enc,
		State: res.State, Reason: res.Reason, Count: res.count, Failed: res.failed,
	}
	if res.sent != 0 {
		out.Took = t.Now.Time().Sub(res.sent.Time())
	}
	t.Counted = append(t.Counted, partition.Counted{P: p, Worker: res.worker, Result: counted(t, &res)})
	call := prepareCall(t, p, &res, out.Body)
	if keepsResult(p, &res) {
		t.Batch.AppendRow(event.RowResult, p.Name, res.N, out.Body)
		t.Batch.Results++
		out.Row = uint32(t.Batch.Results)
	}
	t.Batch.Effect(out)
	if kind := noticeOf(&res); kind != "" {
		n := schema.Notice{
			Kind: kind, Occurrence: res.K, Attempt: res.Attempt, N: res.N, PlanTime: res.Due,
			Reason: res.Reason, WorkerID: res.worker,
		}
		if res.Because != nil {
			n.Attribution = res.Because.Attribution
		}
		t.Notify(p, n)
	}
	if call != nil {
		callBack(t, p, call, &res, &out)
	}
}

// counted is the part of a result that counts.
func counted(t *Turn, res *Outcome) tally.Result {
	begun := tally.Begun{Due: unit.MomentOf(res.Due), Sent: res.sent, Attempt: res.Attempt, Made: res.madeBy != ""}
	if res.spent != nil {
		begun.Own, begun.Others = res.spent.Shares()
	}
	return tally.Result{At: t.Now, Sent: res.sent, State: res.State, Reason: res.Reason, Count: res.count, Late: begun.Lateness()}
}

// triesKept is the number of attempts of a callback whose results are all kept.
const triesKept = 16

// keepsResult reports that a result of p is a row, and stored. Callbacks are retried for ever,
// in the end once a minute, so that an endpoint which never accepts one would fill the history;
// therefore, of the later failed attempts only those at powers of two are kept.
func keepsResult(p *state.Plan, res *Outcome) bool {
	if p.Options().Log == schema.LogNone {
		return false
	}
	_, calls := schema.CalledBack(p.Name.Station)
	return !calls || res.concludes() || res.Attempt <= triesKept || res.Attempt&(res.Attempt-1) == 0
}

// noticeOf is the kind of the notice that accompanies a result, empty if there is none.
func noticeOf(res *Outcome) schema.NoticeKind {
	switch {
	case res.State == schema.StateSkipped:
		return schema.NoticeSkipped
	case res.State == schema.StateTimeout:
		return schema.NoticeTimeout
	default:
		return ""
	}
}

// resultRoom is about the size of a result without its variable texts, in bytes.
const resultRoom = 352

// resultBody encodes a result in the plan's encoding: the part of the definition that it
// repeats, copied, and the new fields.
func resultBody(t *Turn, p *state.Plan, res *Outcome, log schema.LogMode) []byte {
	r := schema.Result{
		Occurrence: res.K, Attempt: res.Attempt, N: res.N, Of: res.late,
		Key:      event.PlanKeyOf(p.Name, p.Incarnation, res.K),
		PlanTime: res.Due, MovedFrom: res.from, ExecTime: res.sent.Time(), EndTime: t.Now.Time(),
		State: res.State, Reason: res.Reason, Cause: res.cause, Trigger: res.madeBy, WorkerID: res.worker,
		Content: res.Content, Error: res.error,
		Votes: res.votes, RealRepet: p.RealRepet, SkipNum: p.SkipNum, Final: res.Final, Late: res.spent.Late(),
	}
	if res.count > 1 {
		r.Count = res.count
	}
	explain(t, p, res, &r)
	if res.trigger != 0 {
		r.Key = event.TriggerKeyOf(p.Name, p.Incarnation, res.trigger)
	}
	if p.IsTask() {
		r.CreateDate, r.ErrorCount = p.Accepted.Time(), res.errors
		if res.Final && (res.State == schema.StateOK || res.Whole) {
			r.LastError = res.lastError
		}
	}
	shared, count := p.Repeated()
	if log == schema.LogTrigger {
		r.Content, r.Votes = wire.Value{}, withoutContent(res.votes)
		shared, count = schema.WithoutMessages(p.Enc, shared)
		if callbackOf(p, res) != nil { // because an item with the whole result goes into the same append
			shared, count = Curtail(t.Partition, p, shared, count)
		}
	}
	if !res.Whole && (res.State == schema.StateSkipped || res.State == schema.StateCancelled) {
		shared, count = Curtail(t.Partition, p, shared, count)
		if res.terse {
			shared, count = schema.FitShared(p.Enc, shared, count, maxTerse)
		}
	}
	room := resultRoom + len(shared) + len(r.Key) + len(r.WorkerID) + len(r.Content.Raw()) + len(r.Error.Raw())
	t.W.Reset(p.Enc, make([]byte, 0, room))
	r.AppendTo(&t.W, shared, count)
	return t.W.Bytes()
}

// counts is the state that a result counts as for callbacks.
func (res *Outcome) counts() schema.State {
	if res.failed {
		return schema.StateFailure
	}
	return res.State
}

// Curtail drops the parts of the definition that do not fit into a result of p: messages, then
// ext, and so on. The messages of a large definition are always dropped, so that the result is
// the same whether the definition is in memory or away.
func Curtail(m *partition.Partition, p *state.Plan, shared []byte, count int) ([]byte, int) {
	if m.IsLarge(p) {
		shared, count = schema.WithoutMessages(p.Enc, shared)
	}
	return schema.FitShared(p.Enc, shared, count, state.MaxRepeated)
}

// maxTerse bounds the part of the definition that a result repeats, in bytes, when many results
// have to fit into one append with a large one: more than a plan's name takes.
const maxTerse = 320

// Tell publishes a notice about p.
func (t *Turn) Notify(p *state.Plan, n schema.Notice) {
	n.Station, n.PlanID, n.Time = p.Name.Station, p.Name.PlanID, t.Now.Time()
	switch n.Kind {
	case schema.NoticeCreated, schema.NoticeUpdated, schema.NoticePaused, schema.NoticeResumed, schema.NoticeRemoved:
		n.Attribution = t.Asked
	case schema.NoticeClosed:
		if n.Attribution = t.Asked; t.Asked.IsZero() && p.Marked().Closed != nil {
			n.Attribution = p.Marked().Closed.Attribution
		}
	}
	t.Batch.Effect(event.Notify{Notice: n, Enc: p.Enc})
}

// NotifyExecution publishes a notice about execution x of p.
func (t *Turn) NotifyExecution(p *state.Plan, o *state.Occurrence, x *state.Execution, kind schema.NoticeKind, progress *float64) {
	t.Notify(p, schema.Notice{
		Kind: kind, Occurrence: o.K, Attempt: x.Attempt, N: x.N, PlanTime: o.Due.Time(),
		WorkerID: x.Worker, Progress: progress,
	})
}

// withoutContent drops the content of votes, which log mode trigger does not keep.
func withoutContent(votes []schema.Vote) []schema.Vote {
	out := make([]schema.Vote, len(votes))
	for i, v := range votes {
		v.Content = wire.Value{}
		out[i] = v
	}
	return out
}
