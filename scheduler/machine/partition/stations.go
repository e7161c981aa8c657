package partition

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Station returns the station of a name, and creates it if there is none.
func (m *Partition) Station(name string) *state.Station {
	s := m.Stations[name]
	if s == nil {
		s = &state.Station{Name: name, Line: waiting.ConcurrencyQueue{Before: m.Handles.ByName}}
		m.Stations[name] = s
		m.OnUndo(func() { delete(m.Stations, name) }) // unasked, because its count of plans is restored later
	}
	return s
}

// DropStation removes a station without plans, record or pending write, so that names that come
// and go leave nothing behind.
func (m *Partition) DropStation(s *state.Station) {
	if s.Plans == 0 && s.Record == nil && s.Dirty == nil && s.Rematch == nil {
		delete(m.Stations, s.Name)
		m.Claims.Offering.Delete(s.Name)
	}
}

// TermsOf resolves p's policy from plan, station and configuration. Plans without a policy of
// their own share one copy.
func (m *Partition) TermsOf(p *state.Plan) *schema.Terms {
	if p.Terms != nil && p.TermsOf == p.Station.Generation {
		return p.Terms
	}
	d, err := schema.LoadDefinition(p.Raw)
	if err != nil {
		// The definition was parsed when it was accepted; the bytes are ours and never change.
		panic(fmt.Sprintf("definition of %s cannot be read again: %v", p.Name, err))
	}
	m.Agree(p, &d.Plan)
	return p.Terms
}

// Agree resolves the policy of p from its parsed definition.
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

// CountsOf returns the counts of s.
func (m *Partition) CountsOf(s *state.Station) *tally.Series {
	if s.Counts == nil {
		s.Counts = m.Book.Of(s.Name)
	}
	return s.Counts
}

// Limit is the number of executions of s that this partition may have under way, 0: no limit. A
// station's max_concurrency is divided among the partitions, because they do not know of each
// other; each has at least one, so that its plans run at all.
func (m *Partition) Limit(s *state.Station) int64 {
	if s.Record == nil || s.Record.MaxConcurrency == nil || s.Record.Concurrency == schema.FullParallel {
		return 0
	}
	return Portion(*s.Record.MaxConcurrency, int64(m.Config.Partition), int64(m.Config.Partitions))
}

// Portion is a partition's part of a limit, of which the first partitions take the remainder.
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

// HasTurns reports that no plan in the line of s is uncalled and that one more execution may run.
func (m *Partition) HasTurns(s *state.Station) bool {
	limit := m.Limit(s)
	return limit == 0 || s.Line.Len() == s.Line.Granted() && s.UnderWay+int64(s.Line.Granted()) < limit
}

// Tally counts the executions of p among those of its station.
func (m *Partition) Tally(p *state.Plan) {
	n := int64(0)
	if !p.Removed {
		n = p.Live()
	}
	more := n - int64(p.Tallied)
	p.Station.UnderWay += more
	m.Executing += more
	p.Tallied = uint16(n) //nolint:gosec // a plan has some hundred at most
	if s := p.Station; more < 0 && m.Limit(s) > 0 {
		m.OnKeep(func() { m.Claims.Stir(s) })
	}
}

// HasRoom reports that s has room for one more execution, and that there is no hold.
func (m *Partition) HasRoom(s *state.Station) bool {
	limit := m.Limit(s)
	return !m.Holding.On && (limit == 0 || s.UnderWay < limit)
}

// Presently is the present callback of the station whose callbacks q delivers, as a list of
// messages, so that earlier items are delivered to it as well; empty if the station has none.
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
		return wire.Value{} // unreachable, because it was parsed
	}
	return v
}
