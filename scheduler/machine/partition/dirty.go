package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Unwrite notes that the row of p is newer than the bucket's since a batch. It is quiet since
// the given moment; 0: for long.
func (m *Partition) Unwrite(p *state.Plan, batch uint64, since unit.Moment) {
	if p.Dirty == nil {
		p.Dirty = &state.DirtyRow{First: batch, P: p}
		m.Dirty.Push(p.Dirty)
	}
	p.Dirty.Changed = since
}

// UnwriteGone notes that p is to be deleted from the bucket; nothing is to be done if it was
// never stored.
func (m *Partition) UnwriteGone(p *state.Plan, batch uint64) {
	e := p.Dirty
	switch {
	case !p.Stored && e != nil:
		m.Dirty.Drop(e)
		p.Dirty = nil
	case !p.Stored:
	case e == nil:
		m.Dirty.Push(&state.DirtyRow{First: batch, P: p, Gone: true})
	default:
		e.Gone = true
	}
}

// UnwriteStation notes that the row of s is newer than the bucket's since a batch.
func (m *Partition) UnwriteStation(s *state.Station, batch uint64) {
	if s.Dirty == nil {
		s.Dirty = &state.DirtyRow{First: batch, S: s}
		m.Dirty.Push(s.Dirty)
	}
}
