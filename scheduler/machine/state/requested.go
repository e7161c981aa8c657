package state

import (
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Requested records a user's request that still has an effect: when it came, from whom, and why.
type Requested struct {
	Since unit.Moment // zero: unknown
	schema.Attribution
}

// A Skipping is a user's request that the next occurrences are skipped. It is replaced, and never
// changed in place.
type Skipping struct {
	calendar.Due // the last occurrence to skip; K [SkipAll]: there is no last one
	Requested
}

// SkipRequested returns the attribution of p's skips; zero: unknown, or there are none.
func (p *Plan) SkipRequested() Requested {
	if p.Skip == nil {
		return Requested{}
	}
	return p.Skip.Requested
}

// SkipNext has the next count occurrences skipped, as was requested; -1: all.
func (p *Plan) SkipNext(count int64, by Requested) {
	p.Skip = nil
	if count < 0 {
		p.Skip = &Skipping{calendar.Due{K: SkipAll}, by}
		return
	}
	if d, ok := p.Schedule.NthRun(p.Prev, count); ok {
		p.Skip = &Skipping{d, by}
	}
}

// requestedFields write or read who requested the pause, the skips or the close of a plan.
func requestedFields(f *wire.Fields, by, note wire.Name, r *schema.Attribution) {
	wire.Word(f, by, &r.By)
	wire.Word(f, note, &r.Note)
}

// requested checks who asked for a change, in a record from an untrusted source.
func (c *recordCheck) requested(by, note string, r schema.Attribution) {
	c.want(len(r.By) <= schema.MaxBy, by, "has %d bytes; at most %d are taken", len(r.By), schema.MaxBy)
	c.want(len(r.Note) <= schema.MaxNote, note, "has %d bytes; at most %d are taken", len(r.Note), schema.MaxNote)
}
