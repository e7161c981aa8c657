package manifest

import (
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Set is the content of files: calendars, stations and plans, each checked, as JSON maps, each name
// once.
type Set struct {
	Calendars []wire.Value
	Stations  []wire.Value
	Plans     []wire.Value
	// Notes are about omitted parts, each with file and line.
	Notes []string
	// where has the place of each name, so that a second one is refused with both places.
	where map[string]string
	// kindless are the stations whose kind is left out.
	kindless map[string]bool
}

func (s *Set) note(where, text string) { s.Notes = append(s.Notes, where+": "+text) }

func (s *Set) addCalendar(where string, v wire.Value) error {
	calendar, err := schema.ParseCalendar(v)
	if err != nil {
		return err
	}
	if err := s.once("calendar "+calendar.CalendarID, where); err != nil {
		return err
	}
	calendar.Revision = 0 // a file has no part in how often it was put
	if v, err = wire.ValueOf(wire.JSON, calendar); err != nil {
		return err
	}
	s.Calendars = append(s.Calendars, v)
	return nil
}

func (s *Set) addStation(where string, v wire.Value) error {
	station, err := schema.ParseStation(v)
	if err != nil {
		return err
	}
	if err := s.once("station "+station.Station, where); err != nil {
		return err
	}
	if kind, _ := v.Field("kind").Text(); kind == "" {
		if s.kindless == nil {
			s.kindless = map[string]bool{}
		}
		s.kindless[station.Station] = true
	}
	station.Revision = 0                                       // a file has no part in how often it was put
	if v, err = wire.ValueOf(wire.JSON, station); err != nil { // in the stored form, for the comparison
		return err
	}
	s.Stations = append(s.Stations, v)
	return nil
}

func (s *Set) addPlan(where string, v wire.Value) error {
	d, err := schema.ParsePlan(v, schema.ParseOptions{NoCommand: true, Shown: true})
	if err != nil {
		return err
	}
	if err := d.Plan.CheckMadeAt(time.Now()); err != nil {
		return err
	}
	switch {
	case v.Field("plan_id").IsZero():
		return errors.New("plan_id is missing; a plan in a file is known by it")
	case d.Plan.Paused && d.Plan.PlanType == schema.TypeNone:
		return errors.New("paused: a plan of type none is due at once, and would be skipped and gone while it is paused; " +
			"take paused out, or give it plan_type: time and a plan_time by which it has been resumed")
	}
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := s.once("plan "+name.String(), where); err != nil {
		return err
	}
	s.Plans = append(s.Plans, d.Value())
	return nil
}

func (s *Set) addTask(where string, v wire.Value) error {
	plan, err := cronjob.PlanOf(v)
	if err != nil {
		return err
	}
	definition, err := wire.ValueOf(wire.JSON, plan)
	if err != nil {
		return err
	}
	if !plan.Paused && !v.Field("status").IsZero() { // an absent one leaves a plan as it is
		w := wire.NewWriter(wire.JSON, nil)
		w.BeginMap()
		for name, member := range definition.Map() {
			w.KeyText(name)
			w.Value(member)
		}
		w.Key("paused")
		w.Bool(false)
		w.EndMap()
		definition = w.Whole()
	}
	return s.addPlan(where, definition)
}

// Len is the number of calendars, stations and plans in the files.
func (s *Set) Len() int { return len(s.Calendars) + len(s.Stations) + len(s.Plans) }

// A twiceError is about something that the files have at two places.
type twiceError struct{ what, before string }

func (e *twiceError) Error() string { return e.what + " is at " + e.before + ", too" }

func (s *Set) once(what, where string) error {
	if before, twice := s.where[what]; twice {
		return &twiceError{what, before}
	}
	if s.where == nil {
		s.where = map[string]string{}
	}
	s.where[what] = where
	return nil
}

func nameOf(plan wire.Value) (n schema.PlanName) {
	n.Station, _ = plan.Field("station").Text()
	n.PlanID, _ = plan.Field("plan_id").Text()
	return n
}
