package machine

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
	// freshBound is at least what an occurrence takes that has none yet, and its first.
	freshBound = 208 + liveBound
)

// stateBound is at least what a plan's state may take as a row, so that a batch
// can promise room before it is written.
func (p *plan) stateBound() int {
	size := rowOverhead + len(p.name.Station) + len(p.name.PlanID) + 448 + len(p.traceparent()) + p.inbox.bound()
	for _, o := range p.open {
		size += freshBound - liveBound + 12*len(o.ended)
		if !o.executing() {
			size += liveBound // its next execution: dispatching is free
		}
		for _, x := range o.live {
			size += liveBound + len(x.worker) + len(x.lock) + x.ballot.bound()
		}
		size += o.crew.bound()
		if o.lastError != nil {
			size += lastErrorFrame + len(o.lastError.Info)
		}
	}
	return size
}

// appendState appends the record in MessagePack, as the journal keeps it.
func (p *plan) appendState(w *wire.Writer, dst []byte) []byte {
	w.Reset(wire.MsgPack, dst)
	p.writeState(w)
	return w.Bytes()
}

// writeState writes the record with its names, zero members left out: the same
// map in the journal and, in the publisher's encoding, in the bucket.
func (p *plan) writeState(w *wire.Writer) {
	w.BeginMap()
	writeInt(w, "incarnation", int64(p.incarnation))
	writeInt(w, "revision", int64(p.revision))
	writeTime(w, "accepted", p.accepted)
	writeInt(w, "base", p.base)
	writeInt(w, "occurrence", p.prev.K)
	if p.prev.K != 0 {
		w.Key("plan_time")
		w.Time(p.prev.At)
	}
	writeInt(w, "n", p.n)
	writeInt(w, "attempt", int64(p.attempt))
	writeInt(w, "real_repet", p.realRepet)
	writeInt(w, "skip_num", p.skipNum)
	writeTime(w, "exec_time", p.execTime)
	writeText(w, "last_state", string(p.last.state()))
	writeText(w, "halt", string(halts[p.halt]))
	halting := p.halting()
	writeText(w, "reason", string(halting.reason))
	writeTime(w, "paused_at", halting.since)
	if p.skip != nil {
		p.writeSkip(w)
	}
	if p.marks != nil {
		p.marks.write(w)
	}
	if p.closing {
		w.Key("closing")
		w.Bool(true)
	}
	writeFlag(w, "kept", p.kept)
	writeText(w, "trace", p.traceparent())
	if p.inbox != nil {
		p.inbox.write(w)
	}
	if len(p.open) > 0 {
		w.Key("open")
		w.BeginList()
		for _, o := range p.open {
			o.write(w)
		}
		w.EndList()
	}
	w.EndMap()
}

// skipAll is the number of the last occurrence to skip when a user wants none to run.
const skipAll = math.MaxInt64

// writeSkip writes which occurrence is the last to skip, -1 for all.
func (p *plan) writeSkip(w *wire.Writer) {
	if p.skip.K == skipAll {
		writeInt(w, "skip_to", -1)
		return
	}
	writeInt(w, "skip_to", p.skip.K)
	if !p.skip.At.IsZero() {
		w.Key("skip_time")
		w.Time(p.skip.At)
	}
}

func (k *marks) write(w *wire.Writer) {
	writeInt(w, "failed", k.failed)
	if k.yielded {
		w.Key("yielded")
		w.Bool(true)
	}
	writeInt(w, "queued_to", k.queued.K)
	if !k.queued.At.IsZero() {
		w.Key("queued_time")
		w.Time(k.queued.At)
	}
}

func (o *occurrence) write(w *wire.Writer) {
	w.BeginMap()
	writeInt(w, "occurrence", o.k)
	writeInt(w, "trigger", o.trigger)
	writeFlag(w, "spent", o.spent)
	writeTime(w, "plan_time", o.due)
	writeTime(w, "at", o.at)
	writeInt(w, "wait", int64(o.wait))
	writeInt(w, "attempt", o.attempt)
	o.tries.write(w)
	writeInt(w, "items", o.items)
	if o.unsure {
		w.Key("unsure")
		w.Bool(true)
	}
	if o.caughtUp {
		w.Key("caught_up")
		w.Bool(true)
	}
	if len(o.ended) > 0 {
		w.Key("ended")
		w.BeginList()
		for _, n := range o.ended {
			w.Int(n)
		}
		w.EndList()
	}
	if len(o.live) > 0 {
		w.Key("executions")
		w.BeginList()
		for _, x := range o.live {
			x.write(w)
		}
		w.EndList()
	}
	if o.crew != nil {
		w.Key("crew")
		o.crew.write(w)
	}
	if o.lastError != nil {
		w.Key("last_error")
		o.lastError.AppendTo(w)
	}
	w.EndMap()
}

func (x *execution) write(w *wire.Writer) {
	w.BeginMap()
	writeInt(w, "n", x.n)
	writeInt(w, "attempt", x.attempt)
	writeText(w, "state", string(x.state))
	writeTime(w, "sent", x.sent)
	writeTime(w, "start_by", x.startBy)
	writeTime(w, "deadline", x.deadline)
	writeText(w, "worker_id", x.worker)
	writeText(w, "lock", x.lock)
	if x.pub {
		w.Key("pub")
		w.Bool(true)
	}
	if x.claimed {
		w.Key("claimed")
		w.Bool(true)
	}
	x.tries.write(w)
	if x.ballot != nil {
		w.Key("ballot")
		x.ballot.write(w)
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
	Crew *crewRecord `json:"crew"`
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

func parseState(value []byte) (state, error) {
	v, err := wire.Scan(value, wire.Limits{Items: len(value), Depth: maxStateDepth})
	if err != nil {
		return state{}, fmt.Errorf("scan: %w", err)
	}
	var r stateRecord
	if err := wire.DecodeLoose(v, &r); err != nil {
		return state{}, err
	}
	if r.Incarnation == 0 {
		return state{}, errNoIncarnation
	}
	return r.state(), nil
}

// state is what a record says.
func (r *stateRecord) state() state {
	st := state{
		incarnation: r.Incarnation, revision: r.Revision,
		accepted: unit.MomentOf(r.Accepted), base: r.Base,
		prev: calendar.Due{K: r.Occurrence, At: r.PlanTime.UTC()},
		n:    r.N, attempt: int32(r.Attempt), realRepet: r.RealRepet, skipNum: r.SkipNum,
		execTime: unit.MomentOf(r.ExecTime), last: lastStateOf(r.LastState),
		halt: haltOf(r.Halt), closing: r.Closing, kept: r.Kept, trace: traceOf(r.Trace),
		inbox: r.Inbox.inbox(),
	}
	if h := (halted{r.Reason, unit.MomentOf(r.PausedAt)}); h != (halted{}) {
		st.halted = &h
	}
	switch {
	case r.SkipTo < 0 || r.SkipTo == skipAll:
		st.skip = &calendar.Due{K: skipAll}
	case r.SkipTo > 0:
		st.skip = &calendar.Due{K: r.SkipTo, At: r.SkipTime.UTC()}
	}
	if k := (marks{failed: r.Failed, yielded: r.Yielded, queued: calendar.Due{K: r.QueuedTo, At: r.QueuedTime.UTC()}}); k != (marks{}) {
		st.marks = &k
	}
	for _, o := range r.Open {
		st.open = append(st.open, o.occurrence())
	}
	return st
}

func (r *occurrenceRecord) occurrence() *occurrence {
	o := &occurrence{
		k: r.Occurrence, trigger: r.Trigger, spent: r.Spent, due: unit.MomentOf(r.PlanTime), at: unit.MomentOf(r.At), wait: unit.Moment(r.Wait),
		attempt: r.Attempt, tries: tries{errors: r.Errors, lost: r.Lost}, items: r.Items,
		unsure: r.Unsure, caughtUp: r.CaughtUp, ended: r.Ended, crew: r.Crew.crew(), lastError: r.LastError,
	}
	for _, x := range r.Executions {
		o.live = append(o.live, &execution{
			n: x.N, attempt: x.Attempt, state: x.State, sent: unit.MomentOf(x.Sent),
			startBy: unit.MomentOf(x.StartBy), deadline: unit.MomentOf(x.Deadline), worker: x.Worker, lock: x.Lock, pub: x.Pub,
			ballot: x.Ballot.ballot(), claimed: x.Claimed, tries: tries{errors: x.Errors, lost: x.Lost},
		})
	}
	return o
}
