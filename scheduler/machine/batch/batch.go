package batch

import (
	"encoding/binary"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Batch holds the rows and effects of some Steps. Its rows are durable before its first
// effect is performed; effects are performed in order, and no effect is exempt, so that reads
// and acknowledgements, too, only report durable state.
//
// The state of a plan becomes one row, however often it changed, because only the last row of a
// key counts.
type Batch struct {
	Effects []event.Effect
	// Number counts batches from 1 within a leadership.
	Number uint64
	// Results is the number of result rows among the batch's rows.
	Results int
	// Items is the number of item rows among them.
	Items int

	capacity int
	left     int         // bytes reserved for others, see Leave
	body     []byte      // rows that no longer change
	rows     []row       // states of plans, in the order of their first change
	states   []byte      // the encoded states, from which rows are cut
	waste    int         // bytes of states that no row uses any more
	affirmed *state.Plan // see Affirm
	w        wire.Writer

	turn     mark
	replaced []replaced // rows that the turn replaced
}

// A row is the state of a plan, at an offset in states.
type row struct {
	plan       *state.Plan
	from, size int
}

// New returns an empty batch whose sealed body has at most capacity bytes.
func New(capacity int) *Batch { return &Batch{capacity: capacity} }

// Empty reports that the batch has neither effects nor rows.
func (b *Batch) Empty() bool { return len(b.Effects) == 0 && len(b.body) == 0 && len(b.rows) == 0 }

// Size is the size of its rows in bytes.
func (b *Batch) Size() int { return len(b.body) + len(b.states) - b.waste }

// Leave reserves so many bytes for later additions, also against the turns from now on. The
// first turn may take the whole capacity, because it might never find room otherwise.
func (b *Batch) Leave(bytes int) { b.left = bytes }

// Seal returns the body of the append; empty if no row is to be made durable and no state was
// affirmed. The bytes belong to the batch until Reset.
func (b *Batch) Seal() []byte {
	for _, r := range b.rows {
		r.plan.Batch, r.plan.Row = 0, 0
		b.body = append(b.body, b.states[r.from:r.from+r.size]...)
	}
	if b.affirmed != nil && len(b.body) == 0 {
		b.body = b.appendState(b.body, b.affirmed)
	}
	b.dropRows()
	return b.body
}

// Reset empties b for the batch of the given number.
func (b *Batch) Reset(number uint64) {
	clear(b.Effects)
	b.Effects = b.Effects[:0]
	b.body = b.body[:0]
	b.dropRows()
	b.Results, b.Items, b.left = 0, 0, 0
	b.Number = number
}

func (b *Batch) dropRows() {
	clear(b.rows)
	b.rows, b.states, b.waste, b.affirmed = b.rows[:0], b.states[:0], 0, nil
}

// Affirm notes that a response confirms the state of p, though p has not changed. The response
// waits for an append as well, because a deposed leader that does not know it would otherwise
// confirm a plan that its successor has removed. A batch without any row therefore repeats the
// state of p.
func (b *Batch) Affirm(p *state.Plan) { b.affirmed = p }

// Effect adds an effect.
func (b *Batch) Effect(e event.Effect) { b.Effects = append(b.Effects, e) }

// Answer adds the answer to an asker; none if the asker is nil.
func (b *Batch) Answer(to event.Asker, body any, err error) {
	if to != nil {
		b.Effect(event.Answer{To: to, Body: body, Err: err})
	}
}

// taken is the acknowledgement of nearly every reply, allocated once.
var taken any = schema.Ack{Ack: true, Accepted: true}

// Acknowledge acknowledges a reply.
func (b *Batch) Acknowledge(to event.Asker, ack schema.Ack) {
	if ack == taken {
		b.Answer(to, taken, nil)
		return
	}
	b.Answer(to, ack, nil)
}

// AppendRow adds a row that no longer changes: a definition, a station, a result.
func (b *Batch) AppendRow(kind event.RowKind, name schema.PlanName, n int64, value []byte) {
	b.body = append(event.RowHeader(b.body, kind, name, n, len(value)), value...)
}

// appendState appends p's record as a row. The size is filled in afterwards.
func (b *Batch) appendState(dst []byte, p *state.Plan) []byte {
	dst = event.RowHeader(dst, event.RowState, p.Name, 0, 0)
	from := len(dst)
	dst = p.AppendState(&b.w, dst)
	binary.BigEndian.PutUint32(dst[from-4:], uint32(len(dst)-from))
	return dst
}

// AppendResultItem makes the result that was just published an item, whose row holds only the
// size, because the result row before it has the bytes.
func (b *Batch) AppendResultItem(q *state.Plan, n int64, out *event.Publish) {
	b.body = event.RowHeader(b.body, event.RowItem, q.Name, n, event.ItemHead+4)
	b.body = binary.BigEndian.AppendUint64(append(b.body, event.EncByte(out.Enc)-'a'+'A'), q.Incarnation)
	b.body = binary.BigEndian.AppendUint32(b.body, uint32(len(out.Body)))
	b.keep(q, n, out.Enc, out.Body)
}

// AppendItem makes an item a row, to be stored in its stream.
func (b *Batch) AppendItem(p *state.Plan, n int64, enc wire.Encoding, value []byte) {
	b.body = event.RowHeader(b.body, event.RowItem, p.Name, n, event.ItemHead+len(value))
	b.body = binary.BigEndian.AppendUint64(append(b.body, event.EncByte(enc)), p.Incarnation)
	b.body = append(b.body, value...)
	b.keep(p, n, enc, value)
}

// keep stores an item whose row was appended.
func (b *Batch) keep(p *state.Plan, n int64, enc wire.Encoding, value []byte) {
	b.Items++
	b.Effect(event.Keep{
		Name: p.Name, N: n, Row: uint32(b.Items), //nolint:gosec // a batch has a megabyte
		Item: event.Item{Incarnation: p.Incarnation, Enc: enc, Value: value},
	})
}
