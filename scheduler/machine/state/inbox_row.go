package state

import (
	"bytes"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// inboxRecord is an inbox as it is read from a record.
type inboxRecord struct {
	Key     string        `json:"key"`
	Manner  schema.Manner `json:"manner"`
	First   int64         `json:"first"`
	Next    int64         `json:"next"`
	At      time.Time     `json:"at"`
	Asked   bool          `json:"asked"`
	Mark    bool          `json:"mark"`
	Taken   bool          `json:"taken"`
	Errors  int64         `json:"errors"`
	Abandon int64         `json:"abandon_us"`
	Waiting time.Time     `json:"waiting"`
	Data    wire.Value    `json:"data"`
}

func (r *inboxRecord) inbox() *Inbox {
	if r == nil {
		return nil
	}
	in := &Inbox{
		Key: r.Key, Manner: r.Manner, First: max(r.First, 1), Next: max(r.Next, r.First, 1),
		At: unit.MomentOf(r.At), Asked: r.Asked, Mark: r.Mark, Taken: r.Taken,
		Errors: r.Errors, Abandon: unit.Moment(r.Abandon), Waiting: unit.MomentOf(r.Waiting),
	}
	in.Dropped = in.First
	if !r.Data.IsZero() {
		in.Data = wire.Trust(r.Data.Encoding(), bytes.Clone(r.Data.Raw()))
	}
	return in
}

// MaxSpread bounds how far apart the numbers of a plan's items may be, so that a row
// that makes no sense takes no memory.
const MaxSpread = 4 * schema.MaxItems

func (p *Plan) NoteItem(n int64, size int) {
	if p.Inbox == nil {
		p.Inbox = &Inbox{} // its record comes behind the items in the same append
	}
	s := &p.Inbox.Sizes
	if n < 0 || len(s.List) > 0 && (n-s.from >= MaxSpread || s.from-n+int64(len(s.List)) > MaxSpread) {
		return
	}
	s.Put(n, size)
}

// InboxBound is at least what the inbox takes in a record, its data aside.
const InboxBound = 320 + schema.MaxQueueKey

func (in *Inbox) bound() int {
	if in == nil {
		return 0
	}
	return InboxBound + 2*len(in.Data.Raw()) + len(in.Key)
}

// writeInbox writes the inbox with its names, zero members left out.
func (in *Inbox) write(w *wire.Writer) {
	w.Key("inbox")
	w.BeginMap()
	writeText(w, "key", in.Key)
	writeText(w, "manner", string(in.Manner))
	writeInt(w, "first", in.First)
	writeInt(w, "next", in.Next)
	writeTime(w, "at", in.At)
	writeFlag(w, "asked", in.Asked)
	writeFlag(w, "mark", in.Mark)
	writeFlag(w, "taken", in.Taken)
	writeInt(w, "errors", in.Errors)
	writeInt(w, "abandon_us", int64(in.Abandon))
	writeTime(w, "waiting", in.Waiting)
	if !in.Data.IsZero() {
		w.Key("data")
		w.Value(in.Data)
	}
	w.EndMap()
}

func writeFlag(w *wire.Writer, key wire.Name, is bool) {
	if is {
		w.Key(key)
		w.Bool(true)
	}
}

// InboxView shows p's inbox to people; nil when it has none.
func (p *Plan) InboxView() *schema.InboxState {
	in := p.Inbox
	if in == nil {
		return nil
	}
	out := &schema.InboxState{Key: in.Key, Length: in.Length(), Bytes: p.Inbox.Sizes.Bytes, Mark: in.Mark,
		Manner: in.Manner, AbandonAfter: schema.Seconds(float64(in.Abandon) / 1e6),
	}
	for _, o := range p.Open {
		out.Locked += o.Items
	}
	return out
}
