package tally

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// MaxStations is the number of stations that have counts of their own; the others are counted as
// one.
const MaxStations = 2000

// A Book has the counters of a partition.
type Book struct {
	All   Series // of all stations
	Rest  Series // of those without counts of their own
	Plans Plans

	own    map[string]*Series
	shapes []Shape // by handle
	late   [mostLate]Late
	lateAt int // how many were kept so far
}

// Of returns the counts of a station, which are those of the rest where there are too many
// stations.
func (b *Book) Of(station string) *Series {
	s := b.own[station]
	switch {
	case s != nil:
		return s
	case len(b.own) >= MaxStations:
		return &b.Rest
	case b.own == nil:
		b.own = map[string]*Series{}
	}
	s = new(Series)
	b.own[station] = s
	return s
}

// Find returns the counts of a station; nil: it has none of its own.
func (b *Book) Find(station string) *Series { return b.own[station] }

// Set has a plan of a station count as a shape.
func (b *Book) Set(h unit.Handle, station *Series, to Shape) {
	if int(h) >= len(b.shapes) {
		if to == 0 {
			return
		}
		b.shapes = append(b.shapes, make([]Shape, int(h)+1-len(b.shapes))...)
	}
	from := b.shapes[h]
	if from == to {
		return
	}
	b.shapes[h] = to
	b.Plans.add(from, -1)
	b.Plans.add(to, 1)
	b.All.Waiting.move(from, to)
	station.Waiting.move(from, to)
}

// At returns the shape as which a plan counts.
func (b *Book) At(h unit.Handle) Shape {
	if int(h) >= len(b.shapes) {
		return 0
	}
	return b.shapes[h]
}

// Add counts a result at a station.
func (b *Book) Add(station *Series, r *Result) {
	p := placeOf(r)
	b.All.add(r.At, &p)
	station.add(r.At, &p)
}

// Total is the number of plans that count.
func (b *Book) Total() (n int64) {
	for _, of := range b.Plans.Status {
		n += int64(of)
	}
	return n
}

// Differs names the first station of which another book has other results; empty: it has none.
func (b *Book) Differs(other *Book) string {
	for name, s := range b.own {
		if o := other.own[name]; o == nil && s.Total != (Slot{}) || o != nil && o.Total != s.Total {
			return fmt.Sprintf("station %s", name)
		}
	}
	switch {
	case b.All.Total != other.All.Total:
		return "all stations"
	case b.Rest.Total != other.Rest.Total:
		return "the stations without counts of their own"
	default:
		return ""
	}
}
