package partition

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func (m *Partition) Station(name string) *state.Station {
	s := m.Stations[name]
	if s == nil {
		s = &state.Station{Name: name, Line: waiting.Line{Before: m.Handles.ByName}}
		m.Stations[name] = s
		m.OnUndo(func() { m.DropStation(s) })
	}
	return s
}

// DropStation forgets a station that nothing is known of any more, so that names
// which come and go leave nothing behind.
func (m *Partition) DropStation(s *state.Station) {
	if s.Plans == 0 && s.Record == nil && s.Dirty == nil && s.Rematch == nil {
		delete(m.Stations, s.Name)
		m.Claims.Offering.Delete(s.Name)
	}
}

// TermsOf resolves p's policy from plan, station and configuration. Plans that
// set none share one copy.
func (m *Partition) TermsOf(p *state.Plan) *schema.Terms {
	if p.Terms != nil && p.TermsOf == p.Station.Generation {
		return p.Terms
	}
	d, err := schema.LoadDefinition(p.Raw)
	if err != nil {
		// It was read when it came in; the bytes are ours and never change.
		panic(fmt.Sprintf("definition of %s cannot be read again: %v", p.Name, err))
	}
	m.Agree(p, &d.Plan)
	return p.Terms
}

// Agree resolves the policy of p, whose definition is at hand.
func (m *Partition) Agree(p *state.Plan, d *schema.Plan) {
	p.TermsOf = p.Station.Generation
	if !d.Policy.IsZero() {
		terms := d.Terms(p.Station.Record, m.Config.Defaults)
		p.Terms = &terms
		return
	}
	variant := 0
	if d.PlanType == schema.TypeCron {
		variant |= 1
	}
	if d.NoKeep {
		variant |= 2
	}
	if p.Station.Usual[variant] == nil {
		terms := d.Terms(p.Station.Record, m.Config.Defaults)
		p.Station.Usual[variant] = &terms
	}
	p.Terms = p.Station.Usual[variant]
}

// Limit is how many executions of s this partition may have under way, 0: any number. A
// station's max_concurrency is divided among the partitions, since no two of them know
// of each other; each has one at least, so that its plans run at all.
func (m *Partition) Limit(s *state.Station) int64 {
	if s.Record == nil || s.Record.MaxConcurrency == nil || s.Record.Concurrency == schema.FullParallel {
		return 0
	}
	return Portion(*s.Record.MaxConcurrency, int64(m.Config.Partition), int64(m.Config.Partitions))
}

// Portion divides a limit among so many partitions: the first ones have the rest.
func Portion(limit, index, count int64) int64 {
	if limit <= 0 {
		return 0
	}
	each := limit / count
	if index < limit%count {
		each++
	}
	return max(each, 1)
}

// HasTurns reports that nobody stands in the line of s and that one more may execute.
func (m *Partition) HasTurns(s *state.Station) bool {
	limit := m.Limit(s)
	return limit == 0 || s.Line.Len() == s.Line.Called() && s.UnderWay+int64(s.Line.Called()) < limit
}

// Tally counts what is under way of p among the executions of its station.
func (m *Partition) Tally(p *state.Plan) {
	n := int64(0)
	if !p.Removed {
		n = p.Live()
	}
	more := n - int64(p.Tallied)
	p.Station.UnderWay += more
	m.Executing += more
	p.Tallied = uint32(n)
	if s := p.Station; more < 0 && m.Limit(s) > 0 {
		m.OnKeep(func() { m.Claims.Stir(s) })
	}
}

// HasRoom reports that a station has room for one more execution, and that one may begin.
func (m *Partition) HasRoom(s *state.Station) bool {
	limit := m.Limit(s)
	return !m.Holding.On && (limit == 0 || s.UnderWay < limit)
}

// Presently is what the station whose callbacks q delivers says now, for who delivers
// those that it said otherwise of, as a list of messages; empty when it says nothing.
func (m *Partition) Presently(q *state.Plan) wire.Value {
	of, is := schema.CalledBack(q.Name.Station)
	if !is {
		return wire.Value{}
	}
	s := m.Stations[of]
	if s == nil || s.Record == nil || s.Record.Callback == nil {
		return wire.Value{}
	}
	v, err := wire.ValueOf(q.Enc, []*schema.Callback{s.Record.Callback})
	if err != nil {
		return wire.Value{} // it was read, and can be written
	}
	return v
}
