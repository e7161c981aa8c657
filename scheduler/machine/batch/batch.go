package batch

import (
	"encoding/binary"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Batch is what some Steps decided. Its rows are durable before its first
// effect is performed; effects are performed in order, and no effect is exempt:
// reads and acknowledgements too say only what is on disk.
//
// The rows of plans are written when the batch is sealed, once each however
// often they changed: the last one of a key is enough.
type Batch struct {
	Effects []event.Effect
	// Number counts batches from 1 within a leadership.
	Number uint64
	// Results is the number of result rows among the batch's rows.
	Results int
	// Items is the number of item rows among them.
	Items int

	Capacity int
	reserved int // what the rows of plans may still take
	left     int // what is left to others, see Leave
	Body     []byte
	Dirty    []*state.Plan
	Affirmed *state.Plan // see affirm
	Sealing  *state.Plan // whose state is being written
	Probe    func(at string, plan schema.PlanName)
	W        wire.Writer
}

// New returns an empty batch whose sealed body has at most capacity bytes.
func New(capacity int) *Batch { return &Batch{Capacity: capacity} }

// Empty reports that nothing was decided.
func (b *Batch) Empty() bool { return len(b.Effects) == 0 && len(b.Body) == 0 && len(b.Dirty) == 0 }

// Room reports whether cost more bytes fit. The rows of one event are never
// split, so a loop asks before it steps.
func (b *Batch) Room(cost int) bool {
	size := b.Size()
	return size+cost <= b.Capacity && (size == 0 || size+cost <= b.Capacity-b.left)
}

// Size is how many bytes its rows take at most.
func (b *Batch) Size() int { return len(b.Body) + b.reserved }

// Leave has what is stepped from now on leave so many bytes to what comes behind it. What
// comes first may take all there are, or it might never find room.
func (b *Batch) Leave(bytes int) { b.left = bytes }

// Seal writes the rows of plans and returns the body of the append; empty if
// nothing is to be made durable, and nobody is told that what is asked for is so already.
// The bytes are the batch's until Reset.
func (b *Batch) Seal() []byte {
	for _, p := range b.Dirty {
		p.Batch, p.Booked = 0, 0
		if !p.Removed {
			b.Sealing = p
			b.AppendState(p)
			if b.Probe != nil {
				b.Probe("seal", p.Name)
			}
		}
	}
	if b.Affirmed != nil && len(b.Body) == 0 {
		b.AppendState(b.Affirmed)
	}
	b.Dirty, b.Affirmed, b.Sealing = b.Dirty[:0], nil, nil
	b.reserved = 0
	return b.Body
}

// Cut takes back the effects behind the first n, of a step that only reads.
func (b *Batch) Cut(n int) {
	clear(b.Effects[n:])
	b.Effects = b.Effects[:n]
}

// Reset empties b for the batch of the given number.
func (b *Batch) Reset(number uint64) {
	clear(b.Effects)
	b.Effects = b.Effects[:0]
	b.Body = b.Body[:0]
	b.Results, b.Items, b.left = 0, 0, 0
	b.Number = number
}

// Touch books the state of p as a row of b.
func (b *Batch) Touch(p *state.Plan) {
	if p.Batch != b.Number {
		p.Batch, p.Booked = b.Number, 0
		b.Dirty = append(b.Dirty, p)
	}
	if size := int32(p.StateBound()); size > p.Booked {
		b.reserved += int(size - p.Booked)
		p.Booked = size
	}
}

// Affirm notes that somebody is told that p is as they want it, though nothing of it has
// changed. That too is said behind an append, else a leader that was deposed and does not
// know it would say so of a plan that its successor has removed: a batch without any row
// repeats the state of p.
func (b *Batch) Affirm(p *state.Plan) { b.Affirmed = p }

func (b *Batch) Effect(e event.Effect) { b.Effects = append(b.Effects, e) }

func (b *Batch) Answer(to event.Asker, body any, err error) {
	if to != nil {
		b.Effect(event.Answer{To: to, Body: body, Err: err})
	}
}

// taken is the acknowledgement of nearly every word, made once.
var taken any = schema.Ack{Ack: true, Accepted: true}

// Acknowledge answers a word.
func (b *Batch) Acknowledge(to event.Asker, ack schema.Ack) {
	if ack == taken {
		b.Answer(to, taken, nil)
		return
	}
	b.Answer(to, ack, nil)
}

// AppendRow adds a row that no longer changes: a definition, a station, a result.
func (b *Batch) AppendRow(kind event.RowKind, name schema.PlanName, n int64, value []byte) {
	b.Body = append(event.RowHeader(b.Body, kind, name, n, len(value)), value...)
}

// AppendState writes p's record as a row. The size goes in when it is known.
func (b *Batch) AppendState(p *state.Plan) {
	b.Body = event.RowHeader(b.Body, event.RowState, p.Name, 0, 0)
	from := len(b.Body)
	b.Body = p.AppendState(&b.W, b.Body)
	binary.BigEndian.PutUint32(b.Body[from-4:], uint32(len(b.Body)-from))
}

// AppendResultItem makes the result that was just published an item, of which the
// append then says no more than that, and its size.
func (b *Batch) AppendResultItem(q *state.Plan, n int64, out *event.Publish) {
	b.Body = event.RowHeader(b.Body, event.RowItem, q.Name, n, event.ItemHead+4)
	b.Body = binary.BigEndian.AppendUint64(append(b.Body, event.EncByte(out.Enc)-'a'+'A'), q.Incarnation)
	b.Body = binary.BigEndian.AppendUint32(b.Body, uint32(len(out.Body)))
	b.keep(q, n, out.Enc, out.Body)
}

// AppendItem makes an item a row, to be kept in its stream.
func (b *Batch) AppendItem(p *state.Plan, n int64, enc wire.Encoding, value []byte) {
	b.Body = event.RowHeader(b.Body, event.RowItem, p.Name, n, event.ItemHead+len(value))
	b.Body = binary.BigEndian.AppendUint64(append(b.Body, event.EncByte(enc)), p.Incarnation)
	b.Body = append(b.Body, value...)
	b.keep(p, n, enc, value)
}

// keep has an item stored whose row was appended.
func (b *Batch) keep(p *state.Plan, n int64, enc wire.Encoding, value []byte) {
	b.Items++
	b.Effect(event.Keep{
		Name: p.Name, N: n, Row: uint32(b.Items), //nolint:gosec // a batch has a megabyte
		Item: event.Item{Incarnation: p.Incarnation, Enc: enc, Value: value},
	})
}
