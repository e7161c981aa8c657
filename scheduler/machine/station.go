package machine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// station is a row like a plan's. One that was never put has no record and all
// the defaults.
type station struct {
	name   string
	record *schema.Station // nil: never put
	// generation counts the records, so that plans know when their terms are old.
	generation uint32
	revision   uint64
	// usual are the terms of plans that set no policy themselves: cron or not,
	// no_keep or not.
	usual [4]*schema.Terms
	plans int
	// underWay counts the executions of its plans that have not ended, and line holds
	// the plans that wait for one of them to end; nil: none. Both are a leader's.
	underWay int64
	line     waiting.Line
	// ready is what may be claimed here; nil: nothing was so far. While it is held against
	// the claims that wait, stirs says how far.
	ready *ready
	stirs *stirring
	// unwritten says that bucket stations has an older record.
	unwritten *unwritten
}

func (m *Machine) station(name string) *station {
	s := m.stations[name]
	if s == nil {
		s = &station{name: name, line: waiting.Line{Before: m.handles.byName}}
		m.stations[name] = s
	}
	return s
}

// dropStation forgets a station that nothing is known of any more, so that names
// which come and go leave nothing behind.
func (m *Machine) dropStation(s *station) {
	if s.plans == 0 && s.record == nil && s.unwritten == nil && s.stirs == nil {
		delete(m.stations, s.name)
		m.claims.offering.Delete(s.name)
	}
}

func (s *station) kind() schema.Kind {
	if s.record == nil || s.record.Kind == "" {
		return schema.KindAPI
	}
	return s.record.Kind
}

// set replaces the record; nil takes it away. A change counts from the next dispatch on.
func (s *station) set(r *schema.Station) {
	s.record = r
	s.generation++
	s.usual = [4]*schema.Terms{}
}

// termsOf resolves p's policy from plan, station and configuration. Plans that
// set none share one copy.
func (m *Machine) termsOf(p *plan) *schema.Terms {
	if p.terms != nil && p.termsOf == p.station.generation {
		return p.terms
	}
	d, err := schema.LoadDefinition(p.raw)
	if err != nil {
		// It was read when it came in; the bytes are ours and never change.
		panic(fmt.Sprintf("definition of %s cannot be read again: %v", p.name, err))
	}
	m.agree(p, &d.Plan)
	return p.terms
}

// agree resolves the policy of p, whose definition is at hand.
func (m *Machine) agree(p *plan, d *schema.Plan) {
	p.termsOf = p.station.generation
	if !d.Policy.IsZero() {
		terms := d.Terms(p.station.record, m.config.Defaults)
		p.terms = &terms
		return
	}
	variant := 0
	if d.PlanType == schema.TypeCron {
		variant |= 1
	}
	if d.NoKeep {
		variant |= 2
	}
	if p.station.usual[variant] == nil {
		terms := d.Terms(p.station.record, m.config.Defaults)
		p.station.usual[variant] = &terms
	}
	p.terms = p.station.usual[variant]
}

func (t *turn) putStation(c schema.PutStation, from Asker) {
	s := t.station(c.Station.Station)
	if s.isTaskType() && c.Station.TaskType == nil {
		t.b.answer(from, nil, isTaskType(s.name))
		return
	}
	created := s.record == nil
	s.set(c.Station)
	t.resettle(s)
	s.revision++
	value, err := wire.Marshal(wire.MsgPack, stationRecord{*s.record, s.revision})
	if err != nil {
		t.b.answer(from, nil, &schema.Error{Code: schema.CodeInvalidRequest, Message: err.Error()})
		return
	}
	name := schema.PlanName{Station: s.name}
	t.b.appendRow(RowStation, name, 0, value)
	t.unwriteStation(s, t.b.Number)
	t.b.answer(from, schema.StationPut{
		Station: s.name, Kind: s.kind(), Created: created, Revision: s.revision,
	}, nil)
}

// resettle lets what waits at s go on under its new record: in line, for a claim; and has
// the plans looked at that have something open, since that may go on as well: another
// occurrence beside it, another worker at it, or its dispatch, when nobody claims any more.
func (m *Machine) resettle(s *station) {
	m.call(s)
	m.claims.stir(s)
	for _, r := range m.revisits {
		if r.station == s.name {
			r.after = "" // from the beginning
			return
		}
	}
	m.revisits = append(m.revisits, &revisit{station: s.name})
}

// A revisit is how far the plans of a station were gone through that was put anew, by their
// ids.
type revisit struct{ station, after string }

// revisitSome has some more of the plans looked at whose stations were put anew.
func (t *turn) revisitSome() {
	if len(t.revisits) == 0 {
		return
	}
	t.looks++
	r, left := t.revisits[0], tickSlice
	t.sorted.Ascend(&plan{name: schema.PlanName{Station: r.station, PlanID: r.after}}, func(p *plan) bool {
		if left--; left < 0 || p.name.Station != r.station {
			return false
		}
		r.after = p.name.PlanID
		if len(p.open) > 0 {
			t.timetable.Set(p.handle, t.now)
		}
		return true
	})
	if left >= 0 {
		t.revisits = t.revisits[1:]
	}
}

func (t *turn) deleteStation(c schema.DeleteStation, from Asker) {
	s := t.stations[c.Station]
	if s == nil || s.record == nil {
		t.b.answer(from, nil, noStation(c.Station))
		return
	}
	if s.isTaskType() && !c.TaskType {
		t.b.answer(from, nil, isTaskType(s.name))
		return
	}
	if c.TaskType && t.hasPlans(s.name) {
		t.b.answer(from, nil, &schema.Error{
			Code: schema.CodeConflict, Field: "code", Message: fmt.Sprintf("task type %s has tasks that are not finished", s.name),
		})
		return
	}
	s.set(nil)
	t.resettle(s)
	s.revision = 0
	t.b.appendRow(RowStation, schema.PlanName{Station: s.name}, 0, nil)
	t.unwriteStation(s, t.b.Number)
	t.b.answer(from, schema.StationDeleted{Station: s.name, Deleted: true}, nil)
}

// hasPlans reports that there is a plan of a station.
func (m *Machine) hasPlans(station string) (has bool) {
	m.sorted.Ascend(&plan{name: schema.PlanName{Station: station}}, func(p *plan) bool {
		has = p.name.Station == station
		return false
	})
	return has
}

func (t *turn) getStation(c schema.GetStation, from Asker) {
	t.suspect.reads = true
	s := t.stations[c.Station]
	if s == nil || s.record == nil {
		t.b.answer(from, nil, noStation(c.Station))
		return
	}
	t.b.answer(from, *s.record, nil)
}

func (t *turn) listStations(c schema.LookStations, from Asker) {
	t.suspect.reads = true
	var out schema.StationSlice
	var names []string
	for name, s := range t.stations {
		if s.record != nil && name > c.After {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > c.Limit {
		names, out.More = names[:c.Limit], true
	}
	for _, name := range names {
		out.Stations = append(out.Stations, *t.stations[name].record)
	}
	t.b.answer(from, out, nil)
}

// isTaskType reports that a task type made s, which is nil where nothing is known of it.
func (s *station) isTaskType() bool { return s != nil && s.record != nil && s.record.TaskType != nil }

func isTaskType(name string) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "station",
		Message: fmt.Sprintf("station %s is a task type: task_types.put changes it, and task_types.delete takes it away", name),
	}
}

func noStation(name string) error {
	return &schema.Error{
		Code: schema.CodeNotFound, Field: "station",
		Message: fmt.Sprintf("station %q was never put; plans may name it all the same, it is then of kind api with the defaults", name),
	}
}

var errStationRow = errors.New("the row names no station")

func (m *Machine) replayStation(seq uint64, r Row) error {
	if r.Name.Station == "" {
		return errStationRow
	}
	var record *stationRecord
	if len(r.Value) > 0 {
		v, err := wire.Scan(r.Value, wire.Limits{})
		if err != nil {
			return fmt.Errorf("replay station %s: %w", r.Name.Station, err)
		}
		record = new(stationRecord)
		if err := wire.DecodeLoose(v, record); err != nil {
			return fmt.Errorf("replay station %s: %w", r.Name.Station, err)
		}
	}
	s := m.station(r.Name.Station)
	if seq != InBucket {
		m.followStation(s, seq)
	}
	if record == nil {
		s.set(nil)
		s.revision = 0
		return nil
	}
	s.set(&record.Station)
	s.revision = record.Revision
	return nil
}

// stationRecord is a station as it is stored.
type stationRecord struct {
	schema.Station
	Revision uint64 `json:"revision"`
}
