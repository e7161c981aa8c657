package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
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
func (b *Batch) appendItem(p *state.Plan, n int64, enc wire.Encoding, value []byte) {
	b.body = rowHeader(b.body, RowItem, p.Name, n, itemHead+len(value))
	b.body = binary.BigEndian.AppendUint64(append(b.body, encByte(enc)), p.Incarnation)
	b.body = append(b.body, value...)
	b.keep(p, n, enc, value)
}

// keep has an item stored whose row was appended.
func (b *Batch) keep(p *state.Plan, n int64, enc wire.Encoding, value []byte) {
	b.Items++
	b.effect(Keep{
		Name: p.Name, N: n, Row: uint32(b.Items), //nolint:gosec // a batch has a megabyte
		Item: Item{Incarnation: p.Incarnation, Enc: enc, Value: value},
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
	m.sorted.Scan(func(p *state.Plan) bool {
		if p.Inbox != nil {
			f(Inbox{p.Name, p.Incarnation, p.Inbox.First, p.Inbox.Next})
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
	p.NoteItem(r.N, size)
	return nil
}

// ReplayItem notes a stored item, which is of no use when the plan is another by now or
// has completed it.
func (m *Machine) ReplayItem(name schema.PlanName, incarnation uint64, n int64, size int) {
	p := m.plans[name]
	if p != nil && p.Inbox != nil && p.Incarnation == incarnation && n >= p.Inbox.First {
		p.NoteItem(n, size)
	}
}

// countItems makes the books of a leader.
func (m *Machine) countItems() {
	m.inboxBytes = 0
	m.sorted.Scan(func(p *state.Plan) bool {
		if p.Inbox != nil {
			p.Inbox.Dropped = p.Inbox.First
			p.Inbox.Sizes.Trim(p.Inbox.First)
			m.inboxBytes += p.Inbox.Sizes.Bytes + int64(len(p.Inbox.Sizes.List))*state.ItemOverhead
		}
		return true
	})
}

// costOfPush bounds what a push may add.
func (m *Machine) costOfPush(c *schema.PushItem) int {
	p := m.find(c.Name)
	cost := p.Cost() + state.SmallEvent + state.MaxRepeated + itemHead + state.RowOverhead + 2*schema.MaxName +
		state.InboxBound + 2*schema.MaxInboxData + min(6*len(c.Item.Raw()), schema.MaxItemBytes)
	if p == nil && c.Definition != nil {
		cost += len(c.Definition.Raw) + len(c.Trace)
	}
	return cost
}
