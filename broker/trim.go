package broker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/nats-io/nats.go"
)

// A TableRow is a row of a table.
type TableRow struct {
	Key   string
	Value []byte

	rev uint64
}

// A Span is the extent of a table's stream.
type Span struct {
	Last  uint64 // the revision of the last message
	Count uint64 // messages: rows, and markers of removed rows
	Room  int64  // bytes that it still takes
}

// Span returns the extent of the table.
func (t *Table) Span(ctx context.Context) (Span, error) {
	info, err := t.store.info(ctx, t.stream())
	if err != nil {
		return Span{}, fmt.Errorf("read the span of bucket %s: %w", t.name, err)
	}
	span := Span{Last: info.State.LastSeq, Count: info.State.Msgs, Room: math.MaxInt64}
	if most := info.Config.MaxBytes; most > 0 {
		span.Room = most - int64(info.State.Bytes) //nolint:gosec // less than the disk has
	}
	return span, nil
}

const (
	// PaddingBytes is the size of padding, more than the 8 MiB of a file of messages in nats-server.
	PaddingBytes = 9 << 20
	padBytes     = 256 << 10
)

// Padding returns messages that are longer than a file of messages in nats-server, so that messages
// behind them are in another file than those before. They are markers of rows that never were.
func (t *Table) Padding() (msgs []*nats.Msg) {
	for i := range PaddingBytes / padBytes {
		m := t.Unset("padding." + strconv.Itoa(i))
		m.Data = make([]byte, padBytes)
		msgs = append(msgs, m)
	}
	return msgs
}

// Head reads the messages of the table from a revision on, below another that exists, until there
// are most rows, or four times as many markers. It returns the rows, and the revision to go on from.
// A message that is back behind a kill -9 of nats-server is no row, because its subject has a later
// one. Only the table's writer knows that none of the rows changes meanwhile.
func (t *Table) Head(ctx context.Context, from, below uint64, most int) (rows []TableRow, next uint64, err error) {
	const markers = 4 // a marker costs its reader less than a row its writer
	left, bytes := markers*most, readBytes/4
	next = below
	r := reading{store: t.store, stream: t.stream(), from: from, until: below - 1}
	r.each = func(m message) error {
		switch {
		case m.seq >= below:
			return errDone
		case left <= 0 || bytes <= 0:
			next = m.seq
			return errDone
		case IsRemoval(m.Headers()):
			left--
		default:
			rows = append(rows, TableRow{t.key(m.Subject()), m.Data(), m.seq})
			left -= markers
			bytes -= len(m.Data())
		}
		return nil
	}
	err = r.run(ctx)
	if err == nil {
		rows, err = t.newest(ctx, rows)
	}
	if err != nil {
		return nil, from, fmt.Errorf("read the head of bucket %s: %w", t.name, err)
	}
	return rows, next, nil
}

// newest returns those of the rows that are the last messages of their subjects, as the stream's
// leader has them. It asks for each only where some subject has more than one message.
func (t *Table) newest(ctx context.Context, rows []TableRow) ([]TableRow, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	info, err := t.store.info(ctx, t.stream())
	if err != nil || info.State.Msgs == info.State.NumSubjects {
		return rows, err
	}
	last := rows[:0]
	for _, row := range rows {
		_, rev, err := t.Get(ctx, row.Key)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		if rev == row.rev {
			last = append(last, row)
		}
	}
	return last, nil
}

// Trim removes all messages below a revision. The caller knows that these are markers, and that they
// are in other files than all others, because nats-server removes whole files from the oldest on:
// a marker is never removed before the messages in front of it.
func (t *Table) Trim(ctx context.Context, below uint64) error {
	if err := t.store.purge(ctx, t.stream(), below); err != nil {
		return fmt.Errorf("remove the markers of bucket %s below %d: %w", t.name, below, err)
	}
	return nil
}
