package state

import (
	"errors"
	"fmt"
	"math"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// AppendState appends the record in MessagePack, as the journal keeps it.
func (p *Plan) AppendState(w *wire.Writer, dst []byte) []byte {
	w.Reset(wire.MsgPack, dst)
	p.WriteState(w)
	return w.Bytes()
}

// WriteState writes the record with its names, zero members left out: the same map in the
// journal and, in the publisher's encoding, in the bucket.
func (p *Plan) WriteState(w *wire.Writer) {
	w.BeginMap()
	p.fields(w.Fields())
	w.EndMap()
}

// SkipAll is the number of the last occurrence to skip when a user wants none to run.
const SkipAll = math.MaxInt64

// maxStateDepth is deep enough for the content of a reply, inside the votes of a record.
const maxStateDepth = 64

var errNoIncarnation = errors.New("it has no incarnation")

// ParseState reads a record; unknown members are those of a later release and left alone.
func ParseState(value []byte) (Record, error) {
	v, err := wire.Scan(value, wire.Limits{Items: len(value), Depth: maxStateDepth})
	if err != nil {
		return Record{}, fmt.Errorf("scan: %w", err)
	}
	r, err := DecodeRecord(v)
	if err != nil {
		return Record{}, err
	}
	if r.Incarnation == 0 {
		return Record{}, errNoIncarnation
	}
	return r, nil
}

// DecodeRecord reads a record that a leader gave beside a plan, as [ParseState] does, with or
// without an incarnation.
func DecodeRecord(v wire.Value) (r Record, err error) {
	err = wire.ReadFields(v, false, r.fields)
	return r, err
}
