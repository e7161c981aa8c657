package state

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// liveBound is at least what an execution takes in a record, its worker aside.
	liveBound = 160
	// FreshBound is at least what an occurrence takes that has none yet, and its first.
	FreshBound = 208 + liveBound
)

// StateBound is at least what a plan's state may take as a row, so that a batch
// can promise room before it is written.
func (p *Plan) StateBound() int {
	size := RowOverhead + len(p.Name.Station) + len(p.Name.PlanID) + 448 + len(p.Traceparent()) + p.Inbox.bound()
	for _, o := range p.Open {
		size += FreshBound - liveBound + 12*len(o.Ended)
		if !o.Executing() {
			size += liveBound // its next execution: dispatching is free
		}
		for _, x := range o.Live {
			size += liveBound + len(x.Worker) + len(x.Lock) + x.Ballot.bound()
		}
		size += o.Slots.bound()
		if o.LastError != nil {
			size += LastErrorFrame + len(o.LastError.Info)
		}
	}
	return size
}

// AppendState appends the record in MessagePack, as the journal keeps it.
func (p *Plan) AppendState(w *wire.Writer, dst []byte) []byte {
	w.Reset(wire.MsgPack, dst)
	p.WriteState(w)
	return w.Bytes()
}

// WriteState writes the record with its names, zero members left out: the same
// map in the journal and, in the publisher's encoding, in the bucket.
func (p *Plan) WriteState(w *wire.Writer) {
	w.BeginMap()
	writeInt(w, "incarnation", int64(p.Incarnation))
	writeInt(w, "revision", int64(p.Revision))
	writeTime(w, "accepted", p.Accepted)
	writeInt(w, "base", p.Base)
	writeInt(w, "occurrence", p.Prev.K)
	if p.Prev.K != 0 {
		w.Key("plan_time")
		w.Time(p.Prev.At)
	}
	writeInt(w, "n", p.N)
	writeInt(w, "attempt", int64(p.Attempt))
	writeInt(w, "real_repet", p.RealRepet)
	writeInt(w, "skip_num", p.SkipNum)
	writeTime(w, "exec_time", p.ExecTime)
	writeText(w, "last_state", string(p.Last.State()))
	writeText(w, "halt", string(halts[p.Halt]))
	halting := p.Halting()
	writeText(w, "reason", string(halting.Reason))
	writeTime(w, "paused_at", halting.Since)
	if p.Skip != nil {
		p.writeSkip(w)
	}
	if p.Marks != nil {
		p.Marks.write(w)
	}
	if p.Closing {
		w.Key("closing")
		w.Bool(true)
	}
	writeFlag(w, "kept", p.Kept)
	writeText(w, "trace", p.Traceparent())
	if p.Inbox != nil {
		p.Inbox.write(w)
	}
	if len(p.Open) > 0 {
		w.Key("open")
		w.BeginList()
		for _, o := range p.Open {
			o.write(w)
		}
		w.EndList()
	}
	w.EndMap()
}

// SkipAll is the number of the last occurrence to skip when a user wants none to run.
const SkipAll = math.MaxInt64

// writeSkip writes which occurrence is the last to skip, -1 for all.
func (p *Plan) writeSkip(w *wire.Writer) {
	if p.Skip.K == SkipAll {
		writeInt(w, "skip_to", -1)
		return
	}
	writeInt(w, "skip_to", p.Skip.K)
	if !p.Skip.At.IsZero() {
		w.Key("skip_time")
		w.Time(p.Skip.At)
	}
}

func (k *Marks) write(w *wire.Writer) {
	writeInt(w, "failed", k.Failed)
	if k.Yielded {
		w.Key("yielded")
		w.Bool(true)
	}
	writeInt(w, "queued_to", k.Queued.K)
	if !k.Queued.At.IsZero() {
		w.Key("queued_time")
		w.Time(k.Queued.At)
	}
}

func (o *Occurrence) write(w *wire.Writer) {
	w.BeginMap()
	writeInt(w, "occurrence", o.K)
	writeInt(w, "trigger", o.Trigger)
	writeFlag(w, "spent", o.Spent)
	writeTime(w, "plan_time", o.Due)
	writeTime(w, "at", o.At)
	writeInt(w, "wait", int64(o.Wait))
	writeInt(w, "attempt", o.Attempt)
	o.Tries.write(w)
	writeInt(w, "items", o.Items)
	if o.Unsure {
		w.Key("unsure")
		w.Bool(true)
	}
	if o.CaughtUp {
		w.Key("caught_up")
		w.Bool(true)
	}
	if len(o.Ended) > 0 {
		w.Key("ended")
		w.BeginList()
		for _, n := range o.Ended {
			w.Int(n)
		}
		w.EndList()
	}
	if len(o.Live) > 0 {
		w.Key("executions")
		w.BeginList()
		for _, x := range o.Live {
			x.write(w)
		}
		w.EndList()
	}
	if o.Slots != nil {
		w.Key("crew")
		o.Slots.write(w)
	}
	if o.LastError != nil {
		w.Key("last_error")
		o.LastError.AppendTo(w)
	}
	w.EndMap()
}

func (x *Execution) write(w *wire.Writer) {
	w.BeginMap()
	writeInt(w, "n", x.N)
	writeInt(w, "attempt", x.Attempt)
	writeText(w, "state", string(x.State))
	writeTime(w, "sent", x.Sent)
	writeTime(w, "start_by", x.StartBy)
	writeTime(w, "deadline", x.Deadline)
	writeText(w, "worker_id", x.Worker)
	writeText(w, "lock", x.Lock)
	if x.Pub {
		w.Key("pub")
		w.Bool(true)
	}
	if x.Claimed {
		w.Key("claimed")
		w.Bool(true)
	}
	x.Tries.write(w)
	if x.Ballot != nil {
		w.Key("ballot")
		x.Ballot.write(w)
	}
	w.EndMap()
}

func writeInt(w *wire.Writer, key wire.Name, i int64) {
	if i != 0 {
		w.Key(key)
		w.Int(i)
	}
}

func writeText(w *wire.Writer, key wire.Name, s string) {
	if s != "" {
		w.Key(key)
		w.Text(s)
	}
}

func writeTime(w *wire.Writer, key wire.Name, at unit.Moment) {
	if at != 0 {
		w.Key(key)
		w.Time(at.Time())
	}
}

// stateRecord is a state as it is read; unknown members are those of a later
// release and left alone.
type stateRecord struct {
	Halt        schema.Status      `json:"halt"`
	Incarnation uint64             `json:"incarnation"`
	Revision    uint64             `json:"revision"`
	Accepted    time.Time          `json:"accepted"`
	Base        int64              `json:"base"`
	Occurrence  int64              `json:"occurrence"`
	PlanTime    time.Time          `json:"plan_time"`
	N           int64              `json:"n"`
	Attempt     int64              `json:"attempt"`
	RealRepet   int64              `json:"real_repet"`
	SkipNum     int64              `json:"skip_num"`
	ExecTime    time.Time          `json:"exec_time"`
	LastState   schema.State       `json:"last_state"`
	Reason      schema.Reason      `json:"reason"`
	Closing     bool               `json:"closing"`
	Kept        bool               `json:"kept"`
	PausedAt    time.Time          `json:"paused_at"`
	SkipTo      int64              `json:"skip_to"`
	SkipTime    time.Time          `json:"skip_time"`
	Failed      int64              `json:"failed"`
	Yielded     bool               `json:"yielded"`
	QueuedTo    int64              `json:"queued_to"`
	QueuedTime  time.Time          `json:"queued_time"`
	Trace       string             `json:"trace"`
	Open        []occurrenceRecord `json:"open" wire:"list"`
	Inbox       *inboxRecord       `json:"inbox"`
}

type occurrenceRecord struct {
	Occurrence int64             `json:"occurrence"`
	Trigger    int64             `json:"trigger"`
	Spent      bool              `json:"spent"`
	PlanTime   time.Time         `json:"plan_time"`
	At         time.Time         `json:"at"`
	Wait       int64             `json:"wait"`
	Attempt    int64             `json:"attempt"`
	Errors     int64             `json:"errors"`
	Lost       int64             `json:"lost"`
	Items      int64             `json:"items"`
	Unsure     bool              `json:"unsure"`
	CaughtUp   bool              `json:"caught_up"`
	Ended      []int64           `json:"ended" wire:"distinct"`
	Executions []executionRecord `json:"executions" wire:"list"`
	// Crew is there when several workers are wanted.
	Crew *slotsRecord `json:"crew"`
	// LastError is there when an execution has failed.
	LastError *schema.LastError `json:"last_error"`
}

type executionRecord struct {
	N        int64        `json:"n"`
	Attempt  int64        `json:"attempt"`
	State    schema.State `json:"state"`
	Sent     time.Time    `json:"sent"`
	StartBy  time.Time    `json:"start_by"`
	Deadline time.Time    `json:"deadline"`
	Worker   string       `json:"worker_id"`
	Lock     string       `json:"lock"`
	Pub      bool         `json:"pub"`
	Claimed  bool         `json:"claimed"`
	// Of a place in a crew: what went wrong there, and, of one that is to be tried
	// again, when.
	Errors int64     `json:"errors"`
	Lost   int64     `json:"lost"`
	At     time.Time `json:"at"`
	Wait   int64     `json:"wait"`
	// Ballot is there when many voices are heard.
	Ballot *ballotRecord `json:"ballot"`
}

// maxStateDepth is deep enough for what a reply may hold, inside the votes of a record.
const maxStateDepth = 64

var errNoIncarnation = errors.New("it has no incarnation")

func ParseState(value []byte) (Record, error) {
	v, err := wire.Scan(value, wire.Limits{Items: len(value), Depth: maxStateDepth})
	if err != nil {
		return Record{}, fmt.Errorf("scan: %w", err)
	}
	var r stateRecord
	if err := wire.DecodeLoose(v, &r); err != nil {
		return Record{}, err
	}
	if r.Incarnation == 0 {
		return Record{}, errNoIncarnation
	}
	return r.State(), nil
}

// State is what a record says.
func (r *stateRecord) State() Record {
	st := Record{
		Incarnation: r.Incarnation, Revision: r.Revision,
		Accepted: unit.MomentOf(r.Accepted), Base: r.Base,
		Prev: calendar.Due{K: r.Occurrence, At: r.PlanTime.UTC()},
		N:    r.N, Attempt: int32(r.Attempt), RealRepet: r.RealRepet, SkipNum: r.SkipNum,
		ExecTime: unit.MomentOf(r.ExecTime), Last: LastStateOf(r.LastState),
		Halt: haltOf(r.Halt), Closing: r.Closing, Kept: r.Kept, Trace: TraceOf(r.Trace),
		Inbox: r.Inbox.inbox(),
	}
	if h := (Halted{r.Reason, unit.MomentOf(r.PausedAt)}); h != (Halted{}) {
		st.Halted = &h
	}
	switch {
	case r.SkipTo < 0 || r.SkipTo == SkipAll:
		st.Skip = &calendar.Due{K: SkipAll}
	case r.SkipTo > 0:
		st.Skip = &calendar.Due{K: r.SkipTo, At: r.SkipTime.UTC()}
	}
	if k := (Marks{Failed: r.Failed, Yielded: r.Yielded, Queued: calendar.Due{K: r.QueuedTo, At: r.QueuedTime.UTC()}}); k != (Marks{}) {
		st.Marks = &k
	}
	for _, o := range r.Open {
		st.Open = append(st.Open, o.occurrence())
	}
	return st
}

func (r *occurrenceRecord) occurrence() *Occurrence {
	o := &Occurrence{
		K: r.Occurrence, Trigger: r.Trigger, Spent: r.Spent, Due: unit.MomentOf(r.PlanTime), At: unit.MomentOf(r.At), Wait: unit.Moment(r.Wait),
		Attempt: r.Attempt, Tries: Tries{Errors: r.Errors, Lost: r.Lost}, Items: r.Items,
		Unsure: r.Unsure, CaughtUp: r.CaughtUp, Ended: r.Ended, Slots: r.Crew.crew(), LastError: r.LastError,
	}
	for _, x := range r.Executions {
		o.Live = append(o.Live, &Execution{
			N: x.N, Attempt: x.Attempt, State: x.State, Sent: unit.MomentOf(x.Sent),
			StartBy: unit.MomentOf(x.StartBy), Deadline: unit.MomentOf(x.Deadline), Worker: x.Worker, Lock: x.Lock, Pub: x.Pub,
			Ballot: x.Ballot.ballot(), Claimed: x.Claimed, Tries: Tries{Errors: x.Errors, Lost: x.Lost},
		})
	}
	return o
}

// RowOverhead is what a row needs beside its names and its value.
const RowOverhead = 1 + 2 + 2 + 2 + 9 + 5
