package machine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func putStation(t *turn, c command.PutStation) (schema.StationPut, error) {
	s := t.Station(c.Station.Station)
	if s.IsTaskType() && c.Station.TaskType == nil {
		return schema.StationPut{}, isTaskType(s.Name)
	}
	was, record := s.Record, *c.Station
	if c.Was != nil && *c.Was != s.Revision {
		return schema.StationPut{}, &schema.Error{
			Code: schema.CodeConflict, Field: "revision",
			Message: fmt.Sprintf("station %s is at revision %d, not %d: read it again with stations.get, and say the change again", s.Name, s.Revision, *c.Was),
		}
	}
	record.Revision = s.Revision + 1
	t.setRecord(s, &record, record.Revision)
	value, err := wire.Marshal(wire.MsgPack, &record)
	if err != nil {
		return schema.StationPut{}, &schema.Error{Code: schema.CodeInvalidRequest, Message: err.Error()}
	}
	name := schema.PlanName{Station: s.Name}
	t.Batch.AppendRow(event.RowStation, name, 0, value)
	out := schema.StationPut{Station: s.Name, Kind: s.Kind(), Created: was == nil, Revision: s.Revision}
	if was != nil {
		out.Dropped = command.Dropped(was, s.Record)
	}
	return out, nil
}

// setRecord gives s another record, or none, of a revision.
func (t *turn) setRecord(s *state.Station, r *schema.Station, revision uint64) {
	before, generation, of := s.Record, s.Generation, s.Revision
	s.Set(r)
	s.Revision = revision
	t.OnUndo(func() {
		s.Set(before)
		s.Generation, s.Revision = generation, of
	})
	t.OnKeep(func() {
		t.UnwriteStation(s, t.Batch.Number)
		t.resettle(s)
	})
}

// resettle applies the new record of s to its waiting occurrences, in the queue or for a claim;
// and looks at the plans with open occurrences, because those may go on as well: another
// occurrence beside an open one, another worker at it, or its dispatch, when the station no
// longer pulls.
func (t *turn) resettle(s *state.Station) {
	transition.CallNext(t.Partition, s, t.Now)
	t.Claims.Stir(s)
	for _, r := range t.m.revisits {
		if r.station == s.Name {
			r.after = "" // from the beginning
			return
		}
	}
	t.m.revisits = append(t.m.revisits, &revisit{station: s.Name})
}

// A revisit is the progress through the plans, ordered by id, of a station whose record was
// replaced.
type revisit struct{ station, after string }

// revisitSome looks at some more plans of the stations whose records were replaced.
func (t *turn) revisitSome() {
	if len(t.m.revisits) == 0 {
		return
	}
	r, left := t.m.revisits[0], tickSlice
	t.Sorted.Ascend(&state.Plan{Name: schema.PlanName{Station: r.station, PlanID: r.after}}, func(p *state.Plan) bool {
		if left--; left < 0 || p.Name.Station != r.station {
			return false
		}
		r.after = p.Name.PlanID
		if t.Changed(p); len(p.Open) > 0 {
			t.EvaluateLater(p)
		}
		return true
	})
	if left >= 0 {
		t.m.revisits = t.m.revisits[1:]
	}
}

func deleteStation(t *turn, c command.DeleteStation) (schema.StationDeleted, error) {
	s := t.Stations[c.Station]
	if s == nil || s.Record == nil {
		return schema.StationDeleted{}, state.NoStation(c.Station)
	}
	if s.IsTaskType() && !c.TaskType {
		return schema.StationDeleted{}, isTaskType(s.Name)
	}
	if c.TaskType && t.m.hasPlans(s.Name) {
		return schema.StationDeleted{}, &schema.Error{
			Code: schema.CodeConflict, Field: "code", Message: fmt.Sprintf("task type %s has tasks that are not finished", s.Name),
		}
	}
	out := schema.StationDeleted{Station: s.Name, Deleted: !c.DryRun, DryRun: c.DryRun}
	if c.DryRun || s.Plans > 0 {
		out.Plans = int64(s.Plans)
		out.Dropped = command.Dropped(s.Record, &schema.Station{Station: s.Name, Kind: defaultKind(s.Record.Kind), Revision: s.Revision})
	}
	if kind := s.Kind(); kind != schema.KindAPI && t.m.hasPlans(s.Name) {
		out.Kind, out.HasPlans = kind, true
	}
	if c.DryRun {
		return out, nil
	}
	t.setRecord(s, nil, 0)
	t.Batch.AppendRow(event.RowStation, schema.PlanName{Station: s.Name}, 0, nil)
	return out, nil
}

// defaultKind is api where a record has that kind, because it is the kind without a record, too;
// empty: the record has another one, or none.
func defaultKind(has schema.Kind) schema.Kind {
	if has == schema.KindAPI {
		return has
	}
	return ""
}

// hasPlans reports that there is a plan of a station.
func (m *Machine) hasPlans(station string) (has bool) {
	m.part.Sorted.Ascend(&state.Plan{Name: schema.PlanName{Station: station}}, func(p *state.Plan) bool {
		has = p.Name.Station == station
		return false
	})
	return has
}

func getStation(t *turn, c command.GetStation) (schema.Station, error) {
	s := t.Stations[c.Station]
	if s == nil || s.Record == nil {
		return schema.Station{}, state.NoStation(c.Station)
	}
	return *s.Record, nil
}

func listStations(t *turn, c command.ListStations) (command.StationSlice, error) {
	var out command.StationSlice
	if c.Used {
		return usedStations(t, c), nil
	}
	var names []string
	for name, s := range t.Stations {
		if s.Record != nil && name > c.After {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > c.Limit {
		names, out.More = names[:c.Limit], true
	}
	for _, name := range names {
		out.Stations = append(out.Stations, *t.Stations[name].Record)
	}
	return out, nil
}

func isTaskType(name string) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "station",
		Message: fmt.Sprintf("station %s is a task type: task_types.put changes it, and task_types.delete deletes it", name),
	}
}

var errStationRow = errors.New("the row names no station")

func (m *Machine) replayStation(seq uint64, r event.Row) error {
	if r.Name.Station == "" {
		return errStationRow
	}
	var record *schema.Station
	if len(r.Value) > 0 {
		v, err := wire.Scan(r.Value, wire.Limits{})
		if err != nil {
			return fmt.Errorf("replay station %s: %w", r.Name.Station, err)
		}
		record = new(schema.Station)
		if err := wire.Unmarshal(v, record); err != nil {
			return fmt.Errorf("replay station %s: %w", r.Name.Station, err)
		}
	}
	s := m.part.Station(r.Name.Station)
	if seq != event.InBucket {
		m.followStation(s, seq)
	}
	if record == nil {
		s.Set(nil)
		s.Revision = 0
		m.part.DropStation(s)
		return nil
	}
	s.Set(record)
	s.Revision = record.Revision
	return nil
}
