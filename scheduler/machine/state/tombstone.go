package state

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Tombstone is a plan that closed by itself: the moment, from the row that removed it, and the
// keyed hash of its definition. Kept: it was published with keep, so that a request without keep
// may be an older one.
type Tombstone struct {
	Name       schema.PlanName
	At         unit.Moment
	Definition uint64
	Kept       bool
}

func (s *Tombstone) fields(f *wire.Fields) {
	wire.Word(f, "station", &s.Name.Station)
	wire.Word(f, "plan_id", &s.Name.PlanID)
	wire.Micros(f, "at", &s.At)
	f.Uint("definition", &s.Definition)
	f.Bool("kept", &s.Kept)
}

// tombstones is a row of the bucket.
type tombstones struct{ closed []Tombstone }

func (r *tombstones) fields(f *wire.Fields) {
	wire.List(f, "closed", &r.closed, (*Tombstone).fields)
}

// TombstoneRow returns some tombstones as a row of the bucket has them, in JSON, because people
// read it.
func TombstoneRow(some []Tombstone) []byte {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	(&tombstones{some}).fields(w.Fields())
	w.EndMap()
	return w.Bytes()
}

// ParseTombstones reads such a row; unknown members are those of a later release and left alone.
func ParseTombstones(value []byte) ([]Tombstone, error) {
	v, err := wire.Scan(value, wire.Limits{Items: len(value), Depth: maxStateDepth})
	if err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	var r tombstones
	if err := wire.ReadFields(v, false, r.fields); err != nil {
		return nil, err
	}
	return r.closed, nil
}
