package machine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func (m *Partition) station(name string) *state.Station {
	s := m.stations[name]
	if s == nil {
		s = &state.Station{Name: name, Line: waiting.Line{Before: m.handles.ByName}}
		m.stations[name] = s
	}
	return s
}

// dropStation forgets a station that nothing is known of any more, so that names
// which come and go leave nothing behind.
func (m *Partition) dropStation(s *state.Station) {
	if s.Plans == 0 && s.Record == nil && s.Dirty == nil && s.Rematch == nil {
		delete(m.stations, s.Name)
		m.claims.Offering.Delete(s.Name)
	}
}

// termsOf resolves p's policy from plan, station and configuration. Plans that
// set none share one copy.
func (m *Partition) termsOf(p *state.Plan) *schema.Terms {
	if p.Terms != nil && p.TermsOf == p.Station.Generation {
		return p.Terms
	}
	d, err := schema.LoadDefinition(p.Raw)
	if err != nil {
		// It was read when it came in; the bytes are ours and never change.
		panic(fmt.Sprintf("definition of %s cannot be read again: %v", p.Name, err))
	}
	m.agree(p, &d.Plan)
	return p.Terms
}

// agree resolves the policy of p, whose definition is at hand.
func (m *Partition) agree(p *state.Plan, d *schema.Plan) {
	p.TermsOf = p.Station.Generation
	if !d.Policy.IsZero() {
		terms := d.Terms(p.Station.Record, m.config.Defaults)
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
		terms := d.Terms(p.Station.Record, m.config.Defaults)
		p.Station.Usual[variant] = &terms
	}
	p.Terms = p.Station.Usual[variant]
}

func (t *turn) putStation(c schema.PutStation, from event.Asker) {
	s := t.station(c.Station.Station)
	if s.IsTaskType() && c.Station.TaskType == nil {
		t.b.Answer(from, nil, isTaskType(s.Name))
		return
	}
	created := s.Record == nil
	s.Set(c.Station)
	t.m.resettle(s)
	s.Revision++
	value, err := wire.Marshal(wire.MsgPack, state.StationRecord{Station: *s.Record, Revision: s.Revision})
	if err != nil {
		t.b.Answer(from, nil, &schema.Error{Code: schema.CodeInvalidRequest, Message: err.Error()})
		return
	}
	name := schema.PlanName{Station: s.Name}
	t.b.AppendRow(event.RowStation, name, 0, value)
	t.unwriteStation(s, t.b.Number)
	t.b.Answer(from, schema.StationPut{
		Station: s.Name, Kind: s.Kind(), Created: created, Revision: s.Revision,
	}, nil)
}

// resettle lets what waits at s go on under its new record: in line, for a claim; and has
// the plans looked at that have something open, since that may go on as well: another
// occurrence beside it, another worker at it, or its dispatch, when nobody claims any more.
func (m *Machine) resettle(s *state.Station) {
	callNext(&m.Partition, s)
	m.claims.Stir(s)
	for _, r := range m.revisits {
		if r.station == s.Name {
			r.after = "" // from the beginning
			return
		}
	}
	m.revisits = append(m.revisits, &revisit{station: s.Name})
}

// A revisit is how far the plans of a station were gone through that was put anew, by their
// ids.
type revisit struct{ station, after string }

// revisitSome has some more of the plans looked at whose stations were put anew.
func (t *turn) revisitSome() {
	if len(t.m.revisits) == 0 {
		return
	}
	t.m.looks++
	r, left := t.m.revisits[0], tickSlice
	t.sorted.Ascend(&state.Plan{Name: schema.PlanName{Station: r.station, PlanID: r.after}}, func(p *state.Plan) bool {
		if left--; left < 0 || p.Name.Station != r.station {
			return false
		}
		r.after = p.Name.PlanID
		if len(p.Open) > 0 {
			t.timetable.Set(p.Handle, t.now)
		}
		return true
	})
	if left >= 0 {
		t.m.revisits = t.m.revisits[1:]
	}
}

func (t *turn) deleteStation(c schema.DeleteStation, from event.Asker) {
	s := t.stations[c.Station]
	if s == nil || s.Record == nil {
		t.b.Answer(from, nil, state.NoStation(c.Station))
		return
	}
	if s.IsTaskType() && !c.TaskType {
		t.b.Answer(from, nil, isTaskType(s.Name))
		return
	}
	if c.TaskType && t.m.hasPlans(s.Name) {
		t.b.Answer(from, nil, &schema.Error{
			Code: schema.CodeConflict, Field: "code", Message: fmt.Sprintf("task type %s has tasks that are not finished", s.Name),
		})
		return
	}
	s.Set(nil)
	t.m.resettle(s)
	s.Revision = 0
	t.b.AppendRow(event.RowStation, schema.PlanName{Station: s.Name}, 0, nil)
	t.unwriteStation(s, t.b.Number)
	t.b.Answer(from, schema.StationDeleted{Station: s.Name, Deleted: true}, nil)
}

// hasPlans reports that there is a plan of a station.
func (m *Machine) hasPlans(station string) (has bool) {
	m.sorted.Ascend(&state.Plan{Name: schema.PlanName{Station: station}}, func(p *state.Plan) bool {
		has = p.Name.Station == station
		return false
	})
	return has
}

func (t *turn) getStation(c schema.GetStation, from event.Asker) {
	t.suspect.reads = true
	s := t.stations[c.Station]
	if s == nil || s.Record == nil {
		t.b.Answer(from, nil, state.NoStation(c.Station))
		return
	}
	t.b.Answer(from, *s.Record, nil)
}

func (t *turn) listStations(c schema.LookStations, from event.Asker) {
	t.suspect.reads = true
	var out schema.StationSlice
	var names []string
	for name, s := range t.stations {
		if s.Record != nil && name > c.After {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > c.Limit {
		names, out.More = names[:c.Limit], true
	}
	for _, name := range names {
		out.Stations = append(out.Stations, *t.stations[name].Record)
	}
	t.b.Answer(from, out, nil)
}

func isTaskType(name string) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "station",
		Message: fmt.Sprintf("station %s is a task type: task_types.put changes it, and task_types.delete takes it away", name),
	}
}

var errStationRow = errors.New("the row names no station")

func (m *Machine) replayStation(seq uint64, r event.Row) error {
	if r.Name.Station == "" {
		return errStationRow
	}
	var record *state.StationRecord
	if len(r.Value) > 0 {
		v, err := wire.Scan(r.Value, wire.Limits{})
		if err != nil {
			return fmt.Errorf("replay station %s: %w", r.Name.Station, err)
		}
		record = new(state.StationRecord)
		if err := wire.DecodeLoose(v, record); err != nil {
			return fmt.Errorf("replay station %s: %w", r.Name.Station, err)
		}
	}
	s := m.station(r.Name.Station)
	if seq != event.InBucket {
		m.followStation(s, seq)
	}
	if record == nil {
		s.Set(nil)
		s.Revision = 0
		return nil
	}
	s.Set(&record.Station)
	s.Revision = record.Revision
	return nil
}
