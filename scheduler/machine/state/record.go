package state

import (
	"bytes"
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The persisted fields of a plan are named here alone: each type has one function that passes
// its fields to a [wire.Fields], which writes them or reads them. The order is that of the
// bytes. A field that is kept in another form than it is written in is converted before, and
// back after it was read.

func (r *Record) fields(f *wire.Fields) {
	f.Uint("incarnation", &r.Incarnation)
	f.Uint("revision", &r.Revision)
	wire.Micros(f, "accepted", &r.Accepted)
	f.Int("base", &r.Base)
	f.Int("occurrence", &r.Prev.K)
	if r.Prev.K != 0 || f.Reads() {
		f.Time("plan_time", &r.Prev.At)
	}
	f.Int("n", &r.N)
	r.attemptField(f)
	f.Int("real_repet", &r.RealRepet)
	f.Int("skip_num", &r.SkipNum)
	wire.Micros(f, "exec_time", &r.ExecTime)
	r.lastStateField(f)
	r.runsField(f)
	r.suspensionFields(f)
	r.skipFields(f)
	r.markFields(f)
	f.Bool("closing", &r.Closing)
	f.Bool("kept", &r.Kept)
	r.traceField(f)
	wire.Map(f, "inbox", &r.Inbox, (*Inbox).fields)
	wire.List(f, "open", &r.Open, eachOccurrence)
}

func (r *Record) attemptField(f *wire.Fields) {
	attempt := int64(r.Attempt)
	f.Int("attempt", &attempt)
	if f.Reads() {
		if attempt != int64(int32(attempt)) {
			refuse(f, "attempt", "is %d, and can be 0 to %d here", attempt, int64(mostAttempts))
		}
		r.Attempt = int32(attempt)
	}
}

// refuse reports an invalid member whose value the kept record can no longer show.
func refuse(f *wire.Fields, name wire.Name, format string, args ...any) {
	f.Refuse(name, fmt.Sprintf(format, args...)+asExported)
}

func (r *Record) lastStateField(f *wire.Fields) {
	last := r.Last.State()
	wire.Word(f, "last_state", &last)
	if f.Reads() {
		if !isWord(string(last)) {
			refuse(f, "last_state", noWord)
		}
		r.Last = LastStateOf(last)
	}
}

func (r *Record) suspensionFields(f *wire.Fields) {
	if r.Suspension == nil && !f.Reads() {
		return // as for most
	}
	s := r.Suspended()
	wire.Word(f, "halt", &s.Status)
	wire.Word(f, "reason", &s.Reason)
	wire.Micros(f, "paused_at", &s.Since)
	requestedFields(f, "paused_by", "paused_note", &s.Attribution)
	if !f.Reads() {
		return
	}
	if s.Status != "" && !suspends(s.Status) {
		refuse(f, "halt", "is %.32q, which is no status that keeps a plan from being served", s.Status)
	}
	if !isWord(s.Reason) {
		refuse(f, "reason", noWord)
	}
	if s.Reason != "" && (!suspends(s.Status) || s.Status == schema.StatusPaused) {
		refuse(f, "reason", "is why a plan stopped, and halt says that it has not")
	}
	if s.Since != 0 && s.Status != schema.StatusPaused {
		refuse(f, "paused_at", "is when a plan was paused, and halt says that it was not")
	}
	if !s.Attribution.IsZero() && s.Status != schema.StatusPaused {
		refuse(f, "paused_by", "is who paused a plan, and halt says that it was not paused")
	}
	if r.Suspension = nil; suspends(s.Status) {
		kept := s // a copy for the heap, where there is something to keep
		r.Suspension = &kept
	}
}

// skipFields write or read the last occurrence to skip, -1 for all.
func (r *Record) skipFields(f *wire.Fields) {
	if r.Skip == nil && !f.Reads() {
		return // as for most
	}
	var last Skipping
	if r.Skip != nil {
		last = *r.Skip
	}
	if last.K == SkipAll {
		last.Due = calendar.Due{K: -1}
	}
	f.Int("skip_to", &last.K)
	f.Time("skip_time", &last.At)
	wire.Micros(f, "skip_since", &last.Since)
	requestedFields(f, "skip_by", "skip_note", &last.Attribution)
	if !f.Reads() {
		return
	}
	if last.K < -1 {
		refuse(f, "skip_to", "is %d, and can be -1 to %d here", last.K, int64(SkipAll))
	}
	switch {
	case last.K < 0 || last.K == SkipAll:
		last.Due = calendar.Due{K: SkipAll}
		kept := last
		r.Skip = &kept
	case last.K > 0:
		kept := last // a copy for the heap, where there is something to keep
		r.Skip = &kept
	}
}

func (r *Record) markFields(f *wire.Fields) {
	if r.Marks == nil && !f.Reads() {
		return // as for most
	}
	k := r.Marked()
	f.Int("failed", &k.Failed)
	f.Bool("yielded", &k.Yielded)
	f.Int("queued_to", &k.Queued.K)
	f.Time("queued_time", &k.Queued.At)
	wire.Map(f, "closed", &k.Closed, (*Requested).fields)
	if k.Ran != (Ran{}) || f.Reads() {
		ran := &k.Ran
		wire.Map(f, "failed_run", &ran, (*Ran).fields)
		if f.Reads() && ran != nil {
			k.Ran = *ran
		}
	}
	if f.Reads() {
		r.Mark(k)
	}
}

func (r *Ran) fields(f *wire.Fields) {
	f.Int("occurrence", &r.K)
	f.Int("n", &r.N)
	wire.Word(f, "state", &r.State)
	wire.Word(f, "worker_id", &r.Worker)
}

func (r *Requested) fields(f *wire.Fields) {
	wire.Micros(f, "since", &r.Since)
	requestedFields(f, "by", "note", &r.Attribution)
}

func (r *Record) traceField(f *wire.Fields) {
	trace := r.Traceparent()
	wire.Word(f, "trace", &trace)
	if f.Reads() {
		r.Trace = TraceOf(trace)
	}
}

func eachOccurrence(o **Occurrence, f *wire.Fields) {
	if f.Reads() {
		*o = &Occurrence{}
	}
	(*o).fields(f)
}

func (o *Occurrence) fields(f *wire.Fields) {
	f.Int("occurrence", &o.K)
	f.Int("trigger", &o.Trigger)
	f.Bool("spent", &o.Spent)
	wire.Micros(f, "plan_time", &o.Due)
	wire.Micros(f, "moved_from", &o.From)
	wire.Micros(f, "at", &o.At)
	wire.Number(f, "wait", &o.Wait)
	f.Int("attempt", &o.Attempt)
	o.Slots.Tries.fields(f)
	f.Int("items", &o.Items)
	f.Bool("unsure", &o.Unsure)
	f.Bool("caught_up", &o.CaughtUp)
	f.Numbers("ended", &o.Ended)
	wire.List(f, "executions", &o.Live, eachExecution)
	wire.Map(f, "crew", &o.Several, (*Several).fields)
	f.Other("last_error", &o.LastError, o.LastError != nil, func(w *wire.Writer) { o.LastError.AppendTo(w) })
	if o.Asked != nil || f.Reads() {
		var asked schema.Attribution
		if o.Asked != nil {
			asked = *o.Asked
		}
		if requestedFields(f, "asked_by", "asked_note", &asked); f.Reads() && !asked.IsZero() {
			o.Asked = &asked
		}
	}
}

func (t *Tries) fields(f *wire.Fields) {
	f.Int("errors", &t.Errors)
	f.Int("lost", &t.Lost)
}

func eachExecution(x **Execution, f *wire.Fields) {
	if f.Reads() {
		*x = &Execution{}
	}
	(*x).fields(f)
}

func (x *Execution) fields(f *wire.Fields) {
	f.Int("n", &x.N)
	f.Int("attempt", &x.Attempt)
	wire.Word(f, "state", &x.State)
	wire.Micros(f, "sent", &x.Sent)
	wire.Micros(f, "start_by", &x.StartBy)
	wire.Micros(f, "deadline", &x.Deadline)
	wire.Word(f, "worker_id", &x.Worker)
	wire.Word(f, "lock", &x.Lock)
	f.Bool("pub", &x.Pub)
	f.Bool("claimed", &x.Claimed)
	x.Tries.fields(f)
	wire.Map(f, "ballot", &x.Ballot, (*Ballot).fields)
	wire.Map(f, "late", &x.Late, (*Spent).fields)
}

func (c *Several) fields(f *wire.Fields) {
	f.Int("before", &c.Before)
	wire.List(f, "done", &c.Done, (*Slot).fields)
	wire.List(f, "again", &c.Again, (*Slot).fields)
}

func (s *Slot) fields(f *wire.Fields) {
	f.Int("n", &s.N)
	f.Int("attempt", &s.Attempt)
	wire.Word(f, "state", &s.State)
	wire.Word(f, "worker_id", &s.Worker)
	wire.Micros(f, "at", &s.At)
	wire.Number(f, "wait", &s.Wait)
	s.Tries.fields(f)
}

func (v *Ballot) fields(f *wire.Fields) {
	f.Int("voters", &v.Voters)
	f.Int("quorum", &v.Quorum)
	f.Other("votes", &v.Votes, len(v.Votes) > 0, func(w *wire.Writer) {
		w.BeginList()
		for i := range v.Votes {
			v.Votes[i].AppendTo(w)
		}
		w.EndList()
	})
	if f.Reads() {
		read := v.Votes
		v.Votes = nil
		for _, w := range read {
			w.Content, w.Error = Own(w.Content), Own(w.Error)
			v.Add(w, Weight(&w))
		}
	}
}

func (in *Inbox) fields(f *wire.Fields) {
	wire.Word(f, "key", &in.Key)
	wire.Word(f, "manner", &in.Manner)
	f.Int("first", &in.First)
	f.Int("next", &in.Next)
	wire.Micros(f, "at", &in.At)
	wire.Number(f, "wait", &in.Wait)
	f.Bool("asked", &in.Asked)
	f.Bool("mark", &in.Mark)
	f.Bool("taken", &in.Taken)
	f.Int("errors", &in.Errors)
	f.Int("notified", &in.Notified)
	f.Int("failed", &in.Failed)
	f.Other("last_error", &in.LastError, in.LastError != nil, func(w *wire.Writer) { in.LastError.AppendTo(w) })
	wire.Number(f, "abandon_us", &in.Abandon)
	wire.Micros(f, "waiting", &in.Waiting)
	f.Value("data", &in.Data)
	if f.Reads() {
		in.First = max(in.First, 1)
		in.Next = max(in.Next, in.First)
		in.Dropped = in.First
		if !in.Data.IsZero() {
			in.Data = wire.Trust(in.Data.Encoding(), bytes.Clone(in.Data.Raw()))
		}
	}
}

// isWord reports that s has the form of the protocol's words, or is empty. It is not checked
// against the known words, because a later release may have others.
func isWord[T ~string](s T) bool {
	for i := range len(s) {
		if (s[i] < 'a' || s[i] > 'z') && s[i] != '_' {
			return false
		}
	}
	return len(s) <= 32
}
