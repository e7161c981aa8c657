package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The types that are written for every execution write themselves, without reflection. The
// output equals that of [wire.Marshal], but for the order of the members; a test compares
// the two. Shared members, of a [Definition] in the encoding of w, take the place of the
// fields that they stand for.

// AppendTo writes e, of whose plan the shared members are given.
func (e *Execution) AppendTo(w *wire.Writer, shared []byte, sharedCount int) {
	w.BeginMapWith(shared, sharedCount)
	if len(e.Items) > 0 {
		w.Key("items")
		w.BeginList()
		for _, item := range e.Items {
			w.Value(item)
		}
		w.EndList()
	}
	writeInt(w, "occurrence", e.Occurrence)
	writeInt(w, "attempt", e.Attempt)
	w.Key("exec")
	w.Text(e.Exec)
	w.Key("key")
	w.Text(e.Key)
	w.Key("plan_time")
	w.Time(e.PlanTime)
	writeTime(w, "moved_from", e.MovedFrom)
	writeTime(w, "deadline", e.Deadline)
	writeInt(w, "epoch", e.Epoch)
	if e.Priority != 0 {
		writeInt(w, "priority", e.Priority)
	}
	w.EndMap()
}

// AppendTo writes r, of whose plan the shared members are given.
func (r *Result) AppendTo(w *wire.Writer, shared []byte, sharedCount int) {
	w.BeginMapWith(shared, sharedCount)
	writeInt(w, "occurrence", r.Occurrence)
	writeInt(w, "attempt", r.Attempt)
	writeInt(w, "n", r.N)
	if r.Of != 0 {
		writeInt(w, "of", r.Of)
	}
	writeText(w, "key", r.Key)
	writeTime(w, "plan_time", r.PlanTime)
	writeTime(w, "moved_from", r.MovedFrom)
	writeTime(w, "exec_time", r.ExecTime)
	writeTime(w, "end_time", r.EndTime)
	w.Key("state")
	w.Text(string(r.State))
	writeText(w, "reason", string(r.Reason))
	writeText(w, "cause", string(r.Cause))
	if r.Because != nil {
		w.Key("because")
		r.Because.AppendTo(w)
	}
	if r.Count != 0 {
		writeInt(w, "count", r.Count)
	}
	writeText(w, "trigger", r.Trigger)
	r.Attribution.appendMembers(w)
	writeValue(w, "content", r.Content)
	writeValue(w, "error", r.Error)
	writeText(w, "worker_id", r.WorkerID)
	if len(r.Votes) > 0 {
		w.Key("votes")
		w.BeginList()
		for i := range r.Votes {
			r.Votes[i].AppendTo(w)
		}
		w.EndList()
	}
	writeInt(w, "real_repet", r.RealRepet)
	writeInt(w, "skip_num", r.SkipNum)
	w.Key("final")
	w.Bool(r.Final)
	if r.Late != nil {
		w.Key("late")
		r.Late.AppendTo(w)
	}
	writeTime(w, "create_date", r.CreateDate)
	if r.ErrorCount != 0 {
		writeInt(w, "error_count", r.ErrorCount)
	}
	if r.LastError != nil {
		w.Key("last_error")
		r.LastError.AppendTo(w)
	}
	w.EndMap()
}

// AppendTo writes e.
func (e *LastError) AppendTo(w *wire.Writer) {
	w.BeginMap()
	w.Key("error_info")
	w.Text(e.Info)
	if e.Cut {
		w.Key("cut")
		w.Bool(true)
	}
	writeTime(w, "exec_time", e.ExecTime)
	writeTime(w, "end_time", e.EndTime)
	w.EndMap()
}

// AppendTo writes v.
func (v *Vote) AppendTo(w *wire.Writer) {
	w.BeginMap()
	writeText(w, "worker_id", v.WorkerID)
	w.Key("state")
	w.Text(string(v.State))
	writeValue(w, "content", v.Content)
	writeValue(w, "error", v.Error)
	w.EndMap()
}

// AppendTo writes n.
func (n *Notice) AppendTo(w *wire.Writer) {
	w.BeginMap()
	w.Key("kind")
	w.Text(string(n.Kind))
	w.Key("station")
	w.Text(n.Station)
	w.Key("plan_id")
	w.Text(n.PlanID)
	if n.Occurrence != 0 {
		writeInt(w, "occurrence", n.Occurrence)
	}
	if n.Attempt != 0 {
		writeInt(w, "attempt", n.Attempt)
	}
	if n.N != 0 {
		writeInt(w, "n", n.N)
	}
	writeTime(w, "plan_time", n.PlanTime)
	writeTime(w, "time", n.Time)
	writeText(w, "reason", string(n.Reason))
	writeText(w, "worker_id", n.WorkerID)
	writeFloat(w, "progress", n.Progress)
	n.Attribution.appendMembers(w)
	w.EndMap()
}

func (a *Attribution) appendMembers(w *wire.Writer) {
	writeText(w, "by", a.By)
	writeText(w, "note", a.Note)
}

// AppendTo writes a.
func (a *Ack) AppendTo(w *wire.Writer) {
	w.BeginMap()
	a.appendMembers(w)
	w.EndMap()
}

func (a *Ack) appendMembers(w *wire.Writer) {
	w.Key("ack")
	w.Bool(a.Ack)
	w.Key("accepted")
	w.Bool(a.Accepted)
	if a.Cancel {
		w.Key("cancel")
		w.Bool(true)
	}
	if a.PingIntervalMS != 0 {
		writeInt(w, "ping_interval_ms", a.PingIntervalMS)
	}
}

// AppendTo writes r.
func (r *Reply) AppendTo(w *wire.Writer) {
	w.BeginMap()
	writeText(w, "state", string(r.State))
	writeValue(w, "content", r.Content)
	writeValue(w, "error", r.Error)
	writeText(w, "worker_id", r.WorkerID)
	writeFloat(w, "extend", (*float64)(r.Extend))
	writeFloat(w, "delay", (*float64)(r.Delay))
	writeFloat(w, "progress", r.Progress)
	writeBool(w, "callback", r.Callback)
	writeBool(w, "retry", r.Retry)
	if r.Unsure {
		w.Key("unsure")
		w.Bool(true)
	}
	if r.Overflow {
		w.Key("overflow")
		w.Bool(true)
	}
	w.EndMap()
}

func writeInt(w *wire.Writer, name wire.Name, i int64) {
	w.Key(name)
	w.Int(i)
}

// The others leave out absent fields.

func writeText(w *wire.Writer, name wire.Name, s string) {
	if s != "" {
		w.Key(name)
		w.Text(s)
	}
}

func writeTime(w *wire.Writer, name wire.Name, t time.Time) {
	if !t.IsZero() {
		w.Key(name)
		w.Time(t)
	}
}

func writeValue(w *wire.Writer, name wire.Name, v wire.Value) {
	if !v.IsZero() {
		w.Key(name)
		w.Value(v)
	}
}

func writeFloat(w *wire.Writer, name wire.Name, f *float64) {
	if f != nil {
		w.Key(name)
		w.Float(*f)
	}
}

func writeBool(w *wire.Writer, name wire.Name, is *bool) {
	if is != nil {
		w.Key(name)
		w.Bool(*is)
	}
}
