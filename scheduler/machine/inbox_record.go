package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// RowItem is an item of an inbox; N is its number. Its value is how it is encoded, j or
// m, the incarnation of its plan, 8 bytes, and the item; or, with J or M, in place of the
// item the 4 bytes of its size: then it is the value of the result row before it.
const RowItem RowKind = 'i'

const itemHead = 1 + 8

// AllItems is behind every item's number.
const AllItems = math.MaxInt64

// An Item is what a RowItem's value holds.
type Item struct {
	Incarnation uint64
	Enc         wire.Encoding
	Value       []byte
}

var errItem = errors.New("not an item")

// ParseItem reads the value of a RowItem; result is that of the last result row before
// it in its append, if any. The item shares their bytes.
func ParseItem(value, result []byte) (Item, error) {
	size, err := itemSize(value)
	if err != nil {
		return Item{}, err
	}
	item := Item{Incarnation: binary.BigEndian.Uint64(value[1:]), Value: value[itemHead:]}
	if isResult(value) {
		if item.Value = result; len(result) != size {
			return Item{}, errItem
		}
	}
	if value[0]|0x20 == encByte(wire.MsgPack) {
		item.Enc = wire.MsgPack
	}
	return item, nil
}

// isResult reports that an item is a result of its append.
func isResult(value []byte) bool { return value[0]&0x20 == 0 }

// itemSize reads how large an item is, without it.
func itemSize(value []byte) (int, error) {
	if len(value) <= itemHead || value[0]|0x20 != encByte(wire.JSON) && value[0]|0x20 != encByte(wire.MsgPack) {
		return 0, errItem
	}
	size := len(value) - itemHead
	if !isResult(value) {
		return size, nil
	}
	if size != 4 {
		return 0, errItem
	}
	return int(binary.BigEndian.Uint32(value[itemHead:])), nil
}

func encByte(enc wire.Encoding) byte {
	if enc == wire.MsgPack {
		return 'm'
	}
	return 'j'
}

// appendItem makes an item a row, to be kept in its stream.
func (b *Batch) appendItem(p *plan, n int64, enc wire.Encoding, value []byte) {
	b.body = rowHeader(b.body, RowItem, p.name, n, itemHead+len(value))
	b.body = binary.BigEndian.AppendUint64(append(b.body, encByte(enc)), p.incarnation)
	b.body = append(b.body, value...)
	b.keep(p, n, enc, value)
}

// keep has an item stored whose row was appended.
func (b *Batch) keep(p *plan, n int64, enc wire.Encoding, value []byte) {
	b.Items++
	b.effect(Keep{
		Name: p.name, N: n, Row: uint32(b.Items), //nolint:gosec // a batch has a megabyte
		Item: Item{Incarnation: p.incarnation, Enc: enc, Value: value},
	})
}

type (
	// Keep has an item stored. Row counts the item rows of the batch from 1.
	Keep struct {
		Name schema.PlanName
		N    int64
		Item Item
		Row  uint32
	}

	// Drop says that the items of a plan with numbers below Before are gone.
	Drop struct {
		Name        schema.PlanName
		Incarnation uint64
		Before      int64
	}

	// Hand answers with Claimed, completed with the Count items of a plan from number
	// First on.
	Hand struct {
		To           Asker
		Name         schema.PlanName
		Incarnation  uint64
		First, Count int64
		Claimed      schema.Claimed
	}

	// Abandoned says that a queue was thrown away because nobody took it in time.
	Abandoned struct {
		Name  schema.PlanName
		Key   string
		Items int64
	}
)

func (Keep) effect()      {}
func (Drop) effect()      {}
func (Hand) effect()      {}
func (Abandoned) effect() {}

// An Inbox names the items that wait at a plan.
type Inbox struct {
	Name        schema.PlanName
	Incarnation uint64
	First, Next int64
}

// Inboxes calls f with every inbox, in the order of lists.
func (m *Machine) Inboxes(f func(Inbox)) {
	m.sorted.Scan(func(p *plan) bool {
		if p.inbox != nil {
			f(Inbox{p.name, p.incarnation, p.inbox.first, p.inbox.next})
		}
		return true
	})
}

// replayItem notes an item of an append.
func (m *Machine) replayItem(r Row) error {
	size, err := itemSize(r.Value)
	if err != nil {
		return fmt.Errorf("replay item %d of %s: %w", r.N, r.Name, err)
	}
	p := m.plans[r.Name]
	if p == nil {
		p = m.add(r.Name)
	}
	p.noteItem(r.N, size)
	return nil
}

// ReplayItem notes a stored item, which is of no use when the plan is another by now or
// has completed it.
func (m *Machine) ReplayItem(name schema.PlanName, incarnation uint64, n int64, size int) {
	p := m.plans[name]
	if p != nil && p.inbox != nil && p.incarnation == incarnation && n >= p.inbox.first {
		p.noteItem(n, size)
	}
}

// maxSpread bounds how far apart the numbers of a plan's items may be, so that a row
// that makes no sense takes no memory.
const maxSpread = 4 * schema.MaxItems

func (p *plan) noteItem(n int64, size int) {
	if p.inbox == nil {
		p.inbox = &inbox{} // its record comes behind the items in the same append
	}
	s := &p.inbox.sizes
	if n < 0 || len(s.list) > 0 && (n-s.from >= maxSpread || s.from-n+int64(len(s.list)) > maxSpread) {
		return
	}
	s.put(n, size)
}

// countItems makes the books of a leader.
func (m *Machine) countItems() {
	m.inboxBytes = 0
	m.sorted.Scan(func(p *plan) bool {
		if p.inbox != nil {
			p.inbox.dropped = p.inbox.first
			p.inbox.sizes.trim(p.inbox.first)
			m.inboxBytes += p.inbox.sizes.bytes + int64(len(p.inbox.sizes.list))*itemOverhead
		}
		return true
	})
}

// inboxBound is at least what the inbox takes in a record, its data aside.
const inboxBound = 320 + schema.MaxQueueKey

func (in *inbox) bound() int {
	if in == nil {
		return 0
	}
	return inboxBound + 2*len(in.data.Raw()) + len(in.key)
}

// costOfPush bounds what a push may add.
func (m *Machine) costOfPush(c *schema.PushItem) int {
	p := m.find(c.Name)
	cost := p.cost() + smallEvent + maxRepeated + itemHead + rowOverhead + 2*schema.MaxName +
		inboxBound + 2*schema.MaxInboxData + min(6*len(c.Item.Raw()), schema.MaxItemBytes)
	if p == nil && c.Definition != nil {
		cost += len(c.Definition.Raw) + len(c.Trace)
	}
	return cost
}

// writeInbox writes the inbox with its names, zero members left out.
func (in *inbox) write(w *wire.Writer) {
	w.Key("inbox")
	w.BeginMap()
	writeText(w, "key", in.key)
	writeText(w, "manner", string(in.manner))
	writeInt(w, "first", in.first)
	writeInt(w, "next", in.next)
	writeTime(w, "at", in.at)
	writeFlag(w, "asked", in.asked)
	writeFlag(w, "mark", in.mark)
	writeFlag(w, "taken", in.taken)
	writeInt(w, "errors", in.errors)
	writeInt(w, "abandon_us", int64(in.abandon))
	writeTime(w, "waiting", in.waiting)
	if !in.data.IsZero() {
		w.Key("data")
		w.Value(in.data)
	}
	w.EndMap()
}

func writeFlag(w *wire.Writer, key wire.Name, is bool) {
	if is {
		w.Key(key)
		w.Bool(true)
	}
}

// inboxView shows p's inbox to people; nil when it has none.
func (p *plan) inboxView() *schema.InboxState {
	in := p.inbox
	if in == nil {
		return nil
	}
	out := &schema.InboxState{Key: in.key, Length: in.length(), Bytes: p.inbox.sizes.bytes, Mark: in.mark,
		Manner: in.manner, AbandonAfter: schema.Seconds(float64(in.abandon) / 1e6),
	}
	for _, o := range p.open {
		out.Locked += o.items
	}
	return out
}
