package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A RowKind is the kind of a row of the journal.
type RowKind byte

const (
	RowDefinition RowKind = 'd' // a plan's definition as published; empty: the plan is gone
	RowState      RowKind = 's' // the scheduler's record of a plan
	RowStation    RowKind = 't' // a station; empty: back to the defaults
	RowCalendar   RowKind = 'k' // a calendar, named by its PlanID; empty: it is gone
	RowResult     RowKind = 'r' // a result
	RowClosed     RowKind = 'c' // of the bucket alone: tombstones, under a number
)

// A Row is one row of an append with its complete new value, so that replaying it twice changes
// nothing.
type Row struct {
	Kind RowKind
	Name schema.PlanName // of a station: without a PlanID
	// N is a result's number, that of tombstones, or the moment at which a plan closed by itself, in Unix
	// microseconds. The row that removes a plan comes twice if the plan was published with
	// on_conflict keep.
	N     int64
	Value []byte
}

// errRow is the error for a body that is not rows.
var errRow = errors.New("not a row of the journal")

// Rows decodes the body of an append, for followers and for tools that inspect a journal. A row
// is a MessagePack array of its kind, station, plan id, number and value; its bytes are frozen
// (testdata/wire).
func Rows(body []byte, f func(Row) error) error {
	for len(body) > 0 {
		r, rest, err := CutRow(body)
		if err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
		body = rest
	}
	return nil
}

const (
	MsgArray5 = 0x95
	MsgStr8   = 0xd9
	msgUint64 = 0xcf
	msgBin32  = 0xc6
)

// RowHeader appends a row without its value, of which size bytes follow.
func RowHeader(dst []byte, kind RowKind, name schema.PlanName, n int64, size int) []byte {
	dst = append(dst, MsgArray5, MsgStr8, 1, byte(kind))
	dst = append(append(dst, MsgStr8, byte(len(name.Station))), name.Station...)
	dst = append(append(dst, MsgStr8, byte(len(name.PlanID))), name.PlanID...)
	dst = binary.BigEndian.AppendUint64(append(dst, msgUint64), uint64(n))
	return binary.BigEndian.AppendUint32(append(dst, msgBin32), uint32(size))
}

// CutRow decodes the first row of b, and returns the bytes after it.
func CutRow(b []byte) (Row, []byte, error) {
	var r Row
	if len(b) < 1 || b[0] != MsgArray5 {
		return r, nil, errRow
	}
	kind, b, ok := cutString(b[1:])
	if !ok || len(kind) != 1 {
		return r, nil, errRow
	}
	r.Kind = RowKind(kind[0])
	if r.Name.Station, b, ok = cutString(b); !ok {
		return r, nil, errRow
	}
	if r.Name.PlanID, b, ok = cutString(b); !ok {
		return r, nil, errRow
	}
	if len(b) < 14 || b[0] != msgUint64 || b[9] != msgBin32 {
		return r, nil, errRow
	}
	r.N = int64(binary.BigEndian.Uint64(b[1:]))
	size := binary.BigEndian.Uint32(b[10:])
	b = b[14:]
	if uint64(size) > uint64(len(b)) {
		return r, nil, errRow
	}
	r.Value = b[:size:size]
	return r, b[size:], nil
}

func cutString(b []byte) (string, []byte, bool) {
	if len(b) < 2 || b[0] != MsgStr8 || len(b) < 2+int(b[1]) {
		return "", nil, false
	}
	end := 2 + int(b[1])
	return string(b[2:end]), b[end:], true
}

// InBucket is the sequence of a row that was read from the bucket.
const InBucket = 0

// RowOf returns the row of a key of the bucket, to be replayed with the sequence InBucket;
// without a kind if the key holds no row. A key that was removed has the value nil, and
// its row none.
func RowOf(key string, value []byte) (Row, error) {
	if key == storage.CheckpointKey {
		return Row{}, nil
	}
	kind, station, id, ok := storage.ParseKey(key)
	switch {
	case ok && value != nil && len(value) == 0:
		return Row{}, nil // another client has put nothing there
	case !ok && value == nil:
		return Row{}, nil
	case !ok:
		return Row{}, fmt.Errorf("key %q of the bucket is not the scheduler's", key)
	}
	row := Row{Name: schema.PlanName{Station: station, PlanID: id}, Value: value}
	switch kind {
	case storage.KeyPlan:
		row.Kind = RowDefinition
	case storage.KeyState:
		if row.Kind = RowState; len(value) == 0 {
			row.Kind = RowDefinition // both rows of a plan are removed in one batch
		}
	case storage.KeyStation:
		row.Kind = RowStation
	case storage.KeyCalendar:
		row.Kind = RowCalendar
	case storage.KeyClosed:
		if len(value) == 0 {
			return Row{}, nil // tombstones that are back forbid no more than they did
		}
		number, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return Row{}, fmt.Errorf("key %q of the bucket is not the scheduler's", key)
		}
		return Row{Kind: RowClosed, N: number, Value: value}, nil
	}
	return row, nil
}

// RowItem is an item of an inbox; N is its number. Its value is one byte for the encoding, j or
// m, the incarnation of its plan, 8 bytes, and the item; or, with J or M, the 4 bytes of the
// item's size, in which case the item is the value of the result row before it.
const RowItem RowKind = 'i'

// ItemHead is the size of an item row's value before the item, in bytes.
const ItemHead = 1 + 8

// AllItems is above every item number.
const AllItems = math.MaxInt64

// An Item is the content of a RowItem's value.
type Item struct {
	Incarnation uint64
	Enc         wire.Encoding
	Value       []byte
}

var errItem = errors.New("not an item")

// ParseItem parses the value of a RowItem; result is the value of the last result row before it
// in its append, if any. The item shares their bytes.
func ParseItem(value, result []byte) (Item, error) {
	size, err := ItemSize(value)
	if err != nil {
		return Item{}, err
	}
	item := Item{Incarnation: binary.BigEndian.Uint64(value[1:]), Value: value[ItemHead:]}
	if IsResult(value) {
		if item.Value = result; len(result) != size {
			return Item{}, errItem
		}
	}
	if value[0]|0x20 == EncByte(wire.MsgPack) {
		item.Enc = wire.MsgPack
	}
	return item, nil
}

// IsResult reports that the item is a result of its append.
func IsResult(value []byte) bool { return value[0]&0x20 == 0 }

// ItemSize returns the size of an item in bytes, from its row alone.
func ItemSize(value []byte) (int, error) {
	if len(value) <= ItemHead || value[0]|0x20 != EncByte(wire.JSON) && value[0]|0x20 != EncByte(wire.MsgPack) {
		return 0, errItem
	}
	size := len(value) - ItemHead
	if !IsResult(value) {
		return size, nil
	}
	if size != 4 {
		return 0, errItem
	}
	return int(binary.BigEndian.Uint32(value[ItemHead:])), nil
}

// EncByte is the byte for an encoding in the value of a RowItem.
func EncByte(enc wire.Encoding) byte {
	if enc == wire.MsgPack {
		return 'm'
	}
	return 'j'
}

type (
	// Keep stores an item. Row counts the item rows of the batch from 1.
	Keep struct {
		Name schema.PlanName
		N    int64
		Item Item
		Row  uint32
	}

	// Drop deletes the items of a plan with numbers below Before.
	Drop struct {
		Name        schema.PlanName
		Incarnation uint64
		Before      int64
	}

	// Hand answers with Claimed, completed with the Count items of a plan from number First on.
	ItemsGranted struct {
		To           Asker
		Name         schema.PlanName
		Incarnation  uint64
		First, Count int64
		Claimed      command.Claimed
	}

	// Abandoned reports that a queue was removed because its items were not taken in time.
	Abandoned struct {
		Name  schema.PlanName
		Key   string
		Items int64
	}
)

func (Keep) effect() {}

func (Drop) effect() {}

func (ItemsGranted) effect() {}

func (Abandoned) effect() {}
