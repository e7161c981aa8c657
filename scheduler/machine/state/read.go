package state

import (
	"fmt"
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The record of a plan in a backup, and the plan that is restored from it.
//
// A plan is restored as its record has it: its grid, its counts and its numbers go on. It gets
// an incarnation of its own, so that no reply to an execution of before the backup counts for
// it. An execution that was in flight then is lost, because its end cannot be known; an
// occurrence that fell due since then fell due while no scheduler acted.

// BackupRecord returns the part of p that a backup keeps beside its definition: the map of its
// state row without votes, because they end with the execution that they were cast in. That of a
// queue has no open occurrences, because a restore pushes the items anew, under other numbers.
func (p *Plan) BackupRecord() wire.Value {
	kept := *p
	if p.Inbox != nil {
		kept.Inbox, kept.Open = &Inbox{Errors: p.deliveryErrors(), Mark: len(p.Open) == 0 && p.Inbox.AwaitsPush()}, nil
	}
	kept.Open = make([]*Occurrence, len(kept.Open))
	for i := range kept.Open {
		o := p.Open[i]
		without := *o
		without.Live = make([]*Execution, len(o.Live))
		for j, x := range o.Live {
			alone := *x
			alone.Ballot = nil
			without.Live[j] = &alone
		}
		kept.Open[i] = &without
	}
	w := wire.NewWriter(wire.MsgPack, make([]byte, 0, 256))
	kept.WriteState(w)
	return w.Whole()
}

// deliveryErrors is how often the delivery of the first items has failed.
func (p *Plan) deliveryErrors() int64 {
	errors := p.Inbox.Errors
	for _, o := range p.Open {
		errors = max(errors, o.Errors)
	}
	return errors
}

// Lose ends x, whose result is unknown. If the plan repeats unknown executions, it is
// dispatched again at once, and that counts as no error, because nothing failed. If it does
// not, x stays until the next look, to time out like any other whose worker is silent; also
// where it was to be published, because a leader that finds it so would publish it again.
func (p *Plan) Lose(o *Occurrence, x *Execution, now unit.Moment) {
	x.Ballot, x.Pub, x.Retry = nil, false, 0
	if p.Options().OnUnknown != schema.UnknownRedo {
		x.StartBy, x.Deadline = now, now
		return
	}
	o.Doubt(true)
	o.Remove(x)
	o.PutOff(x, schema.StateTimeout, now, 0)
}

const (
	// MostCount bounds the numbers of a record, and mostAttempts those of attempts, to half of
	// the space of their types, so that counting on from them reaches no number that a reader of
	// JSON (2^53) or the record itself (2^31) cannot hold.
	MostCount    = 1 << 52
	mostAttempts = 1 << 30
	// mostAhead is how far the clock that a record was written by may be ahead of ours, in
	// microseconds.
	mostAhead = 3600 * 1_000_000
	// endOfRecords is the last moment of the year 9999, which is the last that can be written.
	endOfRecords = 253402300799 * 1_000_000
	// mostTrace bounds the traceparent of a plan, in bytes.
	mostTrace = 128
)

// ReadRecord decodes the record of a plan from an untrusted source, and checks that the
// scheduler could have written it of d at now. The error describes the first invalid field. A
// member that this release does not know is refused too, because it would be lost.
func ReadRecord(v wire.Value, d *schema.Plan, now unit.Moment) (Record, error) {
	if v.IsZero() {
		return Record{}, &schema.Error{Code: schema.CodeInvalidPlan, Field: "record", Message: "record is missing; it is what plans.export gave beside the definition"}
	}
	var r Record
	if err := wire.ReadFields(v, true, r.fields); err != nil {
		errs := schema.WireErrors(schema.CodeInvalidPlan, err)
		for _, e := range errs {
			if strings.HasSuffix(e.Message, asExported) {
				e.Message = "record." + e.Message // as in the errors of recordCheck
			}
			e.Field = strings.TrimSuffix("record."+e.Field, ".")
		}
		return Record{}, errs
	}
	c := recordCheck{now: now, used: map[int64]bool{}}
	c.plan(&r, d)
	for i := range r.Open {
		c.occurrence(&r, i)
	}
	return r, c.wrong
}

// ReadQueueRecord is ReadRecord of a plan with an inbox. Without a record, as in a backup of an
// earlier release, its definition alone determines whether it is paused.
func ReadQueueRecord(v wire.Value, d *schema.Plan, now unit.Moment) (r Record, err error) {
	if v.IsZero() {
		r.Accepted, r.Revision, r.Inbox = now/1000*1000, 1, &Inbox{}
		if d.Paused {
			r.Suspension = &Suspension{Status: schema.StatusPaused}
		}
		return r, nil
	}
	r, err = ReadRecord(v, d, now)
	if err == nil && r.Inbox == nil {
		err = &schema.Error{Code: schema.CodeInvalidPlan, Field: "record.inbox", Message: "record.inbox is missing, though the plan has one" + asExported}
	}
	return r, err
}

const noWord = "is no word of the protocol"

// asExported ends the error about a record that the scheduler cannot have written.
const asExported = "; a record is taken as plans.export gave it"

// A recordCheck keeps the first error of a record.
type recordCheck struct {
	now   unit.Moment
	used  map[int64]bool // numbers of executions, of all occurrences so far
	wrong error
}

// want notes that a field is wrong unless it is as it should be.
func (c *recordCheck) want(isSo bool, field, format string, args ...any) {
	if isSo || c.wrong != nil {
		return
	}
	c.wrong = &schema.Error{
		Code: schema.CodeInvalidPlan, Field: "record." + field,
		Message: "record." + field + " " + fmt.Sprintf(format, args...) + asExported,
	}
}

func (c *recordCheck) count(field string, n, least, most int64) {
	c.want(n >= least && n <= most, field, "is %d, and can be %d to %d here", n, least, most)
}

func (c *recordCheck) plan(r *Record, d *schema.Plan) {
	c.count("revision", int64(min(r.Revision, MostCount+1)), 1, MostCount)
	c.past("accepted", r.Accepted)
	c.count("base", r.Base, 0, MostCount)
	most := mostOccurrences(d, r.Base)
	if r.Inbox != nil {
		most = MostCount // its pushes make them
		c.count("inbox.errors", r.Inbox.Errors, 0, MostCount)
		c.count("inbox.notified", r.Inbox.Notified, 0, MostCount)
		c.count("inbox.failed", r.Inbox.Failed, 0, MostCount)
		c.lastError("inbox.last_error", r.Inbox.LastError)
		c.want(len(r.Open) == 0, "open", "is there, though the items of a queue are delivered anew")
	}
	c.count("occurrence", r.Prev.K, r.Base, most)
	c.want(r.Prev.At.IsZero() == (r.Prev.K == 0), "plan_time", "and occurrence go together")
	if r.Prev.K != 0 {
		c.past("plan_time", unit.MomentOf(r.Prev.At))
	}
	c.count("n", r.N, 0, MostCount)
	c.count("attempt", int64(r.Attempt), 0, min(r.N, mostAttempts))
	c.count("real_repet", r.RealRepet, 0, r.Prev.K)
	c.count("skip_num", r.SkipNum, 0, r.Prev.K-r.RealRepet)
	c.maybePast("exec_time", r.ExecTime)
	c.maybePast("paused_at", r.Suspended().Since)
	c.requested("paused_by", "paused_note", r.Suspended().Attribution)
	c.want(!r.Closing, "closing", "is true: the plan was closed, and does not come back")
	if r.Skip != nil && r.Skip.K != SkipAll {
		c.count("skip_to", r.Skip.K, r.Prev.K+1, r.Prev.K+MaxSkips)
	}
	if r.Skip != nil {
		c.maybePast("skip_since", r.Skip.Since)
		c.requested("skip_by", "skip_note", r.Skip.Attribution)
	}
	k := r.Marked()
	c.count("failed_run.n", k.Ran.N, 0, r.N)
	c.count("failed_run.occurrence", k.Ran.K, 0, r.Prev.K)
	c.word("failed_run.state", string(k.Ran.State))
	c.want(len(k.Ran.Worker) <= schema.MaxName, "failed_run.worker_id", "has %d bytes; at most %d are taken", len(k.Ran.Worker), schema.MaxName)
	c.want(k.Closed == nil, "closed", "is there: the plan was closed, and does not come back")
	c.count("failed", k.Failed, 0, r.N)
	c.count("queued_to", k.Queued.K, 0, mostOccurrences(d, r.Base))
	c.maybePast("queued_time", unit.MomentOf(k.Queued.At))
	trace := r.Traceparent()
	c.want(len(trace) <= mostTrace && isPlain(trace), "trace", "is no traceparent")
	c.want(len(r.Open) <= MaxOpen, "open", "has %d items; a plan has at most %d open occurrences", len(r.Open), MaxOpen)
}

// occurrence checks the open occurrence i. They stand in the order in which they were opened.
func (c *recordCheck) occurrence(r *Record, i int) {
	if c.wrong != nil {
		return
	}
	o := r.Open[i]
	in := fmt.Sprintf("open.%d.", i)
	lastK, lastTrigger := int64(0), int64(0)
	for _, other := range r.Open[:i] {
		lastK, lastTrigger = max(lastK, other.K), max(lastTrigger, other.Trigger)
	}
	if o.K == 0 {
		c.count(in+"trigger", o.Trigger, lastTrigger+1, r.N)
		c.want(!o.CaughtUp, in+"caught_up", "is true of a triggered run")
	} else {
		c.count(in+"occurrence", o.K, lastK+1, r.Prev.K)
		c.count(in+"trigger", o.Trigger, 0, 0)
		c.want(!o.Spent, in+"spent", "is true of an occurrence that was not triggered")
	}
	c.past(in+"plan_time", o.Due)
	c.want(o.From >= 0 && o.From <= endOfRecords, in+"moved_from", "is out of range")
	at := o.At
	c.want(at >= 0 && at <= endOfRecords, in+"at", "is out of range")
	c.count(in+"wait", int64(o.Wait), 0, endOfRecords)
	c.count(in+"attempt", o.Attempt, 0, min(r.N, mostAttempts))
	c.count(in+"errors", o.Errors, 0, r.N)
	c.count(in+"lost", o.Lost, 0, r.N)
	c.want(len(o.Ended) <= MaxEnded, in+"ended", "has %d items; at most %d are kept", len(o.Ended), MaxEnded)
	for _, n := range o.Ended {
		c.want(n >= -r.N && n <= r.N && n != 0, in+"ended", "has %d, a number that was never given", n)
	}
	if o.Asked != nil {
		c.requested(in+"asked_by", in+"asked_note", *o.Asked)
	}
	c.lastError(in+"last_error", o.LastError)
	if !o.IsShared() {
		c.want(len(o.Live) <= 1, in+"executions", "has %d items; an occurrence has one execution at a time", len(o.Live))
	} else {
		c.several(in+"crew.", o, r)
	}
	for _, x := range o.Live {
		c.execution(in+"executions.", x, o, r)
	}
	c.numbers(in, o)
	if len(o.Live) == 0 {
		c.want(at != 0 || r.NeedsPerson(), in+"at", "is missing, though the plan waits for no person")
		c.want(o.Attempt == 0 || len(o.Ended) > 0, in+"ended", "is empty after %d attempts", o.Attempt)
	}
}

func (c *recordCheck) lastError(field string, e *schema.LastError) {
	if e == nil {
		return
	}
	c.want(len(e.Info) <= schema.MaxErrorInfo, field, "has %d bytes; at most %d are kept", len(e.Info), schema.MaxErrorInfo)
	c.maybePast(field+".end_time", unit.MomentOf(e.EndTime))
}

// numbers checks that no two executions share a number: neither two of those in the record, nor
// one under way with one that has ended.
func (c *recordCheck) numbers(in string, o *Occurrence) {
	for n := range o.numbers {
		c.want(n == 0 || !c.used[n], strings.TrimSuffix(in, "."), "has a second execution with number %d", n)
		c.used[n] = true
	}
	ended := map[int64]bool{}
	for _, n := range o.Ended {
		n = max(n, -n)
		c.want(!ended[n], in+"ended", "has execution %d twice", n)
		ended[n] = true
	}
	for _, x := range o.Live {
		c.want(!ended[x.N], in+"ended", "has execution %d, which is under way", x.N)
	}
}

// numbers yields the numbers of the executions in the record of o.
func (o *Occurrence) numbers(yield func(int64) bool) {
	for _, x := range o.Live {
		if !yield(x.N) {
			return
		}
	}
	for s := range o.Left {
		if !yield(s.N) {
			return
		}
	}
}

// several checks the slots of an occurrence that wants several workers.
func (c *recordCheck) several(in string, o *Occurrence, r *Record) {
	count := len(o.Live) + len(o.Done()) + len(o.Again())
	c.count(in+"before", o.Several.Before, 0, min(r.N, mostAttempts))
	c.want(count <= maxSlots, strings.TrimSuffix(in, "."), "has %d workers; a plan keeps at most %d", count, maxSlots)
	for _, e := range o.Done() {
		c.slot(in+"done.", &e, o, r)
	}
	for _, e := range o.Again() {
		c.slot(in+"again.", &e, o, r)
		c.want(e.At > 0 && e.At <= endOfRecords, in+"again.at", "is out of range")
		c.count(in+"again.wait", int64(e.Wait), 0, endOfRecords)
	}
}

func (c *recordCheck) slot(in string, e *Slot, o *Occurrence, r *Record) {
	c.count(in+"n", e.N, 0, r.N)
	c.count(in+"attempt", e.Attempt, 0, o.Attempt)
	c.word(in+"state", string(e.State))
	c.count(in+"errors", e.Errors, 0, r.N)
	c.count(in+"lost", e.Lost, 0, r.N)
	c.want(len(e.Worker) <= schema.MaxName, in+"worker_id", "has %d bytes; at most %d are taken", len(e.Worker), schema.MaxName)
}

func (c *recordCheck) execution(in string, x *Execution, o *Occurrence, r *Record) {
	c.count(in+"n", x.N, 1, r.N)
	c.count(in+"attempt", x.Attempt, 1, o.Attempt)
	c.word(in+"state", string(x.State))
	c.count(in+"errors", x.Errors, 0, r.N)
	c.count(in+"lost", x.Lost, 0, r.N)
	c.past(in+"sent", x.Sent)
	c.want(len(x.Worker) <= schema.MaxName, in+"worker_id", "has %d bytes; at most %d are taken", len(x.Worker), schema.MaxName)
}

// past requires that a moment has passed.
func (c *recordCheck) past(field string, at unit.Moment) {
	c.want(at > 0, field, "is missing, or before 1970")
	c.want(at <= c.now+mostAhead, field, "is %s, which is yet to come: is this clock right?", at.Time().Format("2006-01-02T15:04:05Z"))
}

func (c *recordCheck) maybePast(field string, at unit.Moment) {
	if at != 0 {
		c.past(field, at)
	}
}

func (c *recordCheck) word(field, s string) {
	c.want(isWord(s), field, noWord)
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// mostOccurrences is how many occurrences d can have had, base of them under earlier schedules.
func mostOccurrences(d *schema.Plan, base int64) int64 {
	switch {
	case d.PlanType == schema.TypeNone, d.PlanType == schema.TypeTime:
		return base + 1
	case d.PlanRepet == nil, *d.PlanRepet < 0:
		return MostCount
	default:
		return *d.PlanRepet
	}
}

// MaxSkips bounds the count of plans.skip; -1, which skips all, is no count.
const MaxSkips = 1_000_000
