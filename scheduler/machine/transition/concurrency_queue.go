package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// MaxGranted bounds the plans of a station that are called and have not been looked at, so that
// no event walks through a long line when a limit is raised: each look calls the next plan.
const MaxGranted = 256

// takeTurn reports that the concurrency limit of p's station allows o to be dispatched now; if
// not, p enters the line of the station.
func takeTurn(m *partition.Partition, p *state.Plan, o *state.Occurrence) bool {
	s, h := p.Station, p.Handle
	since, called, there := s.Line.Entry(h)
	switch {
	case !there && m.HasTurns(s):
		return true
	case !there:
		s.Line.Enter(h, o.At)
		m.OnUndo(func() { s.Line.Leave(h) })
		return false
	case !called:
		return false
	}
	s.Line.Leave(h)
	if m.Limit(s) == 0 || s.UnderWay < m.Limit(s) {
		m.OnUndo(func() { s.Line.EnterGranted(h, since) })
		return true
	}
	s.Line.Enter(h, since) // the limit was lowered meanwhile
	m.OnUndo(func() {
		s.Line.Leave(h)
		s.Line.EnterGranted(h, since)
	})
	return false
}

// settleTurns updates the line of p's station after a look at p or its removal: p leaves the
// line if it wants no turn, and the next plans are called.
func settleTurns(m *partition.Partition, p *state.Plan, now unit.Moment) {
	m.Tally(p)
	if p.Station.Line.Len() == 0 {
		return
	}
	if p.Removed || !admission.WantsTurn(m, p, now) {
		p.Station.Line.Leave(p.Handle)
	}
	CallNext(m, p.Station, now)
}

// CallNext calls the next plans in the line of a station, as far as its limit allows.
func CallNext(m *partition.Partition, s *state.Station, now unit.Moment) {
	limit := m.Limit(s)
	if s.IsPull() {
		limit = 0 // its line is the offered executions; the plans that stand here are released
	}
	for s.Line.Granted() < MaxGranted && (limit == 0 || s.UnderWay+int64(s.Line.Granted()) < limit) {
		next, ok := s.Line.Grant()
		if !ok {
			return
		}
		p := m.Handles.Of(next)
		w := admission.Wants(m, p, now)
		partition.Set(m, p, &w, now, partition.Changed)
	}
}
