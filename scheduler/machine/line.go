package machine

import (
	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A line is where the plans of a station stand that has as many executions under way as it
// allows. A plan has one place in it, whatever it wants to run: so plans take turns, in the
// order in which their time came, and of those whose time came together, by name. When an
// execution ends, those are called whose turn it is; a Tick then looks at them, and they
// dispatch, or leave if they want nothing any more.
//
// It is a leader's own. Its successor finds the same occurrences open and due, and they
// form the line again.
type line struct {
	places map[*plan]*place
	order  *btree.BTreeG[*place] // of those that were not called
	called int
}

// place is a plan's in a line.
type place struct {
	p      *plan
	since  unit.Moment // when what it waits for was to be dispatched
	called bool
}

// maxCalled bounds the plans of a station that are called and have not looked, so that
// no event walks through a long line when a limit is lifted: each one that looks calls
// another.
const maxCalled = tickSlice

func byTurn(a, b *place) bool {
	if a.since != b.since {
		return a.since < b.since
	}
	return byName(a.p, b.p)
}

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
	switch {
	case limit == 0:
		return true
	case s.line == nil:
		return s.underWay < limit
	default:
		return s.line.order.Len() == 0 && s.underWay+int64(s.line.called) < limit
	}
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
	case len(p.open) > 0 && s.place(p) != nil || p.justOpened():
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
	at := s.place(p)
	switch {
	case at == nil && m.hasTurns(s):
		return true
	case at == nil:
		s.enter(p, o.at)
	case !at.called:
	case m.limit(s) == 0 || s.underWay < m.limit(s):
		s.leave(p)
		return true
	default: // the limit was lowered meanwhile
		s.leave(p)
		s.enter(p, at.since)
	}
	return false
}

// place returns where p stands in the line of s, nil if it does not.
func (s *station) place(p *plan) *place {
	if s.line == nil {
		return nil
	}
	return s.line.places[p]
}

func (s *station) enter(p *plan, since unit.Moment) {
	if s.line == nil {
		s.line = &line{places: map[*plan]*place{}, order: btree.NewBTreeGOptions(byTurn, btree.Options{NoLocks: true})}
	}
	at := &place{p: p, since: since}
	s.line.places[p] = at
	s.line.order.Set(at)
}

func (s *station) leave(p *plan) {
	at := s.place(p)
	if at == nil {
		return
	}
	delete(s.line.places, p)
	if at.called {
		s.line.called--
	} else {
		s.line.order.Delete(at)
	}
	if len(s.line.places) == 0 {
		s.line = nil
	}
}

// isBehind reports that p stands in line and was not called.
func (p *plan) isBehind() bool {
	at := p.station.place(p)
	return at != nil && !at.called
}

// settleTurns brings the line of p's station up to date once p was looked at, or left: p
// leaves it when it wants no turn, and those are called whose turn it is.
func (m *Machine) settleTurns(p *plan, now unit.Moment) {
	m.tally(p)
	if p.station.line == nil {
		return
	}
	if p.removed || !m.wantsTurn(p, now) {
		p.station.leave(p)
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
	for s.line != nil && s.line.called < maxCalled && (limit == 0 || s.underWay+int64(s.line.called) < limit) {
		next, ok := s.line.order.PopMin()
		if !ok {
			return
		}
		next.called = true
		s.line.called++
		m.schedule(next.p)
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
