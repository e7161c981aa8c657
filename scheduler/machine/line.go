package machine

import (
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
func (m *Machine) limit(s *station) int64 {
	if s.record == nil || s.record.MaxConcurrency == nil || s.record.Concurrency == schema.FullParallel {
		return 0
	}
	return portion(*s.record.MaxConcurrency, int64(m.config.Partition), int64(m.config.Partitions))
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
func (m *Machine) hasTurns(s *station) bool {
	limit := m.limit(s)
	return limit == 0 || s.line.Len() == s.line.Called() && s.underWay+int64(s.line.Called()) < limit
}

// welcomes answers for the station of p, for one more occurrence. Whether it is skipped
// is the plan's to say, then the station's; parallel of a plan lifts only its own limit.
// An occurrence that follows the one before waits in any case: when one was skipped the
// next would be due in the same moment, and so on without end.
func (m *Machine) welcomes(p *plan, t *schema.Terms) welcome {
	s := p.station
	switch {
	case m.limit(s) == 0:
		return free
	case t.Concurrency == schema.FullSkip && !p.schedule.Continuous() && !m.hasTurns(s):
		return refused
	case s.isPull():
		return free // it waits to be claimed
	case len(p.open) > 0 && p.isInLine() || p.justOpened():
		return inLine
	default:
		return free
	}
}

// justOpened reports that p has an occurrence that the same look will try to dispatch.
func (p *plan) justOpened() bool {
	for _, o := range p.open {
		if o.attempt == 0 && o.at == o.due {
			return true
		}
	}
	return false
}

// takeTurn reports that p may dispatch o now as far as its station is concerned; if not,
// it stands in line for it.
func (m *Machine) takeTurn(p *plan, o *occurrence) bool {
	s := p.station
	since, called, there := s.line.Place(p.handle)
	switch {
	case !there && m.hasTurns(s):
		return true
	case !there:
		s.line.Enter(p.handle, o.at)
	case !called:
	case m.limit(s) == 0 || s.underWay < m.limit(s):
		s.line.Leave(p.handle)
		return true
	default: // the limit was lowered meanwhile
		s.line.Leave(p.handle)
		s.line.Enter(p.handle, since)
	}
	return false
}

// isInLine reports that p stands in the line of its station.
func (p *plan) isInLine() bool {
	_, _, there := p.station.line.Place(p.handle)
	return there
}

// isBehind reports that p stands in line and was not called.
func (p *plan) isBehind() bool {
	_, called, there := p.station.line.Place(p.handle)
	return there && !called
}

// settleTurns brings the line of p's station up to date once p was looked at, or left: p
// leaves it when it wants no turn, and those are called whose turn it is.
func (m *Machine) settleTurns(p *plan, now unit.Moment) {
	m.tally(p)
	if p.station.line.Len() == 0 {
		return
	}
	if p.removed || !m.wantsTurn(p, now) {
		p.station.line.Leave(p.handle)
	}
	m.call(p.station)
}

// wantsTurn reports that p would dispatch something now if its station let it.
func (m *Machine) wantsTurn(p *plan, now unit.Moment) bool {
	if p.station.isPull() {
		return false
	}
	for _, o := range p.open {
		if at := p.startsAt(o); at != 0 && at <= now && m.isReady(p, o) {
			return true
		}
	}
	return false
}

// call calls the plans whose turn it is.
func (m *Machine) call(s *station) {
	limit := m.limit(s)
	if s.isPull() {
		limit = 0 // its line is what is offered; who stood here is let go
	}
	for s.line.Called() < maxCalled && (limit == 0 || s.underWay+int64(s.line.Called()) < limit) {
		next, ok := s.line.Call()
		if !ok {
			return
		}
		m.schedule(m.handles.plan(next))
	}
}

// tally counts what is under way of p among the executions of its station.
func (m *Machine) tally(p *plan) {
	n := 0
	if !p.removed {
		for _, o := range p.open {
			n += len(o.live)
		}
	}
	more := int64(n) - int64(p.tallied)
	p.station.underWay += more
	m.underWay += more
	p.tallied = uint32(n)
	if more < 0 && m.limit(p.station) > 0 {
		m.claims.stir(p.station)
	}
}
