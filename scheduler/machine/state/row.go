package state

import (
	"errors"
	"fmt"
	"math"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// liveBound is at least what an execution takes in a record, its worker aside.
	liveBound = 160
	// FreshBound is at least what an occurrence takes that has none yet, and its first.
	FreshBound = 208 + liveBound
)

// StateBound is at least what a plan's state may take as a row, so that a batch
// can promise room before it is written.
func (p *Plan) StateBound() int {
	size := RowOverhead + len(p.Name.Station) + len(p.Name.PlanID) + 448 + len(p.Traceparent()) + p.Inbox.bound()
	for _, o := range p.Open {
		size += FreshBound - liveBound + 12*len(o.Ended)
		if !o.Executing() {
			size += liveBound // its next execution: dispatching is free
		}
		for _, x := range o.Live {
			size += liveBound + len(x.Worker) + len(x.Lock) + x.Ballot.bound()
		}
		size += o.Slots.bound()
		if o.LastError != nil {
			size += LastErrorFrame + len(o.LastError.Info)
		}
	}
	return size
}

// AppendState appends the record in MessagePack, as the journal keeps it.
func (p *Plan) AppendState(w *wire.Writer, dst []byte) []byte {
	w.Reset(wire.MsgPack, dst)
	p.WriteState(w)
	return w.Bytes()
}

// WriteState writes the record with its names, zero members left out: the same
// map in the journal and, in the publisher's encoding, in the bucket.
func (p *Plan) WriteState(w *wire.Writer) {
	w.BeginMap()
	p.fields(w.Fields())
	w.EndMap()
}

// SkipAll is the number of the last occurrence to skip when a user wants none to run.
const SkipAll = math.MaxInt64

// maxStateDepth is deep enough for what a reply may hold, inside the votes of a record.
const maxStateDepth = 64

var errNoIncarnation = errors.New("it has no incarnation")

// ParseState reads a record; unknown members are those of a later release and left alone.
func ParseState(value []byte) (Record, error) {
	v, err := wire.Scan(value, wire.Limits{Items: len(value), Depth: maxStateDepth})
	if err != nil {
		return Record{}, fmt.Errorf("scan: %w", err)
	}
	var r Record
	if err := wire.ReadFields(v, false, r.fields); err != nil {
		return Record{}, err
	}
	if r.Incarnation == 0 {
		return Record{}, errNoIncarnation
	}
	return r, nil
}

// RowOverhead is what a row needs beside its names and its value.
const RowOverhead = 1 + 2 + 2 + 2 + 9 + 5
