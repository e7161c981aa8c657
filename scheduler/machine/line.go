package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// maxCalled bounds the plans of a station that are called and have not looked, so that
// no event walks through a long line when a limit is lifted: each one that looks calls
// another.
const maxCalled = tickSlice

// limit is how many executions of s this partition may have under way, 0: any number. A
// station's max_concurrency is divided among the partitions, since no two of them know
// of each other; each has one at least, so that its plans run at all.
func (m *Partition) limit(s *state.Station) int64 {
	if s.Record == nil || s.Record.MaxConcurrency == nil || s.Record.Concurrency == schema.FullParallel {
		return 0
	}
	return portion(*s.Record.MaxConcurrency, int64(m.config.Partition), int64(m.config.Partitions))
}

// portion divides a limit among so many partitions: the first ones have the rest.
func portion(limit, index, count int64) int64 {
	if limit <= 0 {
		return 0
	}
	each := limit / count
	if index < limit%count {
		each++
	}
	return max(each, 1)
}

// hasTurns reports that nobody stands in the line of s and that one more may execute.
func (m *Partition) hasTurns(s *state.Station) bool {
	limit := m.limit(s)
	return limit == 0 || s.Line.Len() == s.Line.Called() && s.UnderWay+int64(s.Line.Called()) < limit
}

// welcomes answers for the station of p, for one more occurrence. Whether it is skipped
// is the plan's to say, then the station's; parallel of a plan lifts only its own limit.
// An occurrence that follows the one before waits in any case: when one was skipped the
// next would be due in the same moment, and so on without end.
func welcomes(m *Partition, p *state.Plan, t *schema.Terms) welcome {
	s := p.Station
	switch {
	case m.limit(s) == 0:
		return free
	case t.Concurrency == schema.FullSkip && !p.Schedule.Continuous() && !m.hasTurns(s):
		return refused
	case s.IsPull():
		return free // it waits to be claimed
	case len(p.Open) > 0 && p.IsInLine() || p.JustOpened():
		return inLine
	default:
		return free
	}
}

// takeTurn reports that p may dispatch o now as far as its station is concerned; if not,
// it stands in line for it.
func takeTurn(m *Partition, p *state.Plan, o *state.Occurrence) bool {
	s := p.Station
	since, called, there := s.Line.Place(p.Handle)
	switch {
	case !there && m.hasTurns(s):
		return true
	case !there:
		s.Line.Enter(p.Handle, o.At)
	case !called:
	case m.limit(s) == 0 || s.UnderWay < m.limit(s):
		s.Line.Leave(p.Handle)
		return true
	default: // the limit was lowered meanwhile
		s.Line.Leave(p.Handle)
		s.Line.Enter(p.Handle, since)
	}
	return false
}

// settleTurns brings the line of p's station up to date once p was looked at, or left: p
// leaves it when it wants no turn, and those are called whose turn it is.
func settleTurns(m *Partition, p *state.Plan, now unit.Moment) {
	m.tally(p)
	if p.Station.Line.Len() == 0 {
		return
	}
	if p.Removed || !wantsTurn(m, p, now) {
		p.Station.Line.Leave(p.Handle)
	}
	callNext(m, p.Station)
}

// wantsTurn reports that p would dispatch something now if its station let it.
func wantsTurn(m *Partition, p *state.Plan, now unit.Moment) bool {
	if p.Station.IsPull() {
		return false
	}
	for _, o := range p.Open {
		if at := p.StartsAt(o); at != 0 && at <= now && isReady(m, p, o) {
			return true
		}
	}
	return false
}

// call calls the plans whose turn it is.
func callNext(m *Partition, s *state.Station) {
	limit := m.limit(s)
	if s.IsPull() {
		limit = 0 // its line is what is offered; who stood here is let go
	}
	for s.Line.Called() < maxCalled && (limit == 0 || s.UnderWay+int64(s.Line.Called()) < limit) {
		next, ok := s.Line.Call()
		if !ok {
			return
		}
		schedule(m, m.handles.Of(next))
	}
}

// tally counts what is under way of p among the executions of its station.
func (m *Partition) tally(p *state.Plan) {
	n := 0
	if !p.Removed {
		for _, o := range p.Open {
			n += len(o.Live)
		}
	}
	more := int64(n) - int64(p.Tallied)
	p.Station.UnderWay += more
	m.underWay += more
	p.Tallied = uint32(n)
	if more < 0 && m.limit(p.Station) > 0 {
		m.claims.Stir(p.Station)
	}
}
