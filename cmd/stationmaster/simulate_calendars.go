package main

import (
	"fmt"
	"maps"

	"github.com/stationmaster-io/stationmaster/internal/simulate"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// calendarsOf reads the calendars of files or of an installation.
func calendarsOf(values []wire.Value) (all []*schema.Calendar, err error) {
	for _, v := range values {
		c, err := schema.ParseCalendar(v)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// checkCalendars refuses a plan that names a calendar which the source lacks; where is the name
// of the source in the error.
func checkCalendars(s *simulate.Source, where string) error {
	has := map[string]bool{}
	for _, list := range [][]*schema.Calendar{s.Calendars, s.CalendarChanges} {
		for _, c := range list {
			has[c.CalendarID] = true
		}
	}
	for _, list := range [][]simulate.Plan{s.Plans, s.Changes} {
		for _, p := range list {
			d := &p.Definition.Plan
			if err := lacksCalendar("exclude", d.Exclude, has, where); err != nil {
				return fmt.Errorf("plan %s: %w", p.Name(), err)
			}
			if err := lacksCalendar("only", d.Only, has, where); err != nil {
				return fmt.Errorf("plan %s: %w", p.Name(), err)
			}
		}
	}
	return nil
}

func lacksCalendar(field string, ids []string, has map[string]bool, where string) error {
	for _, id := range ids {
		if has[id] {
			continue
		}
		if near := wire.Nearest(id, maps.Keys(has)); near != "" {
			return fmt.Errorf("%s names calendar %s, which is not %s; did you mean %s?", field, id, where, near)
		}
		return fmt.Errorf("%s names calendar %s, which is not %s; a list calendars: of a file has it", field, id, where)
	}
	return nil
}
