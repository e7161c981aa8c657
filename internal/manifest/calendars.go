package manifest

import (
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// withoutNew is a plan without its calendars if one of them is in the files, because that may not
// exist yet, or be another one.
func (s *Set) withoutNew(v wire.Value) wire.Value {
	named := func(field string) bool {
		for _, id := range v.Field(field).List() {
			if text, _ := id.Text(); s.where["calendar "+text] != "" {
				return true
			}
		}
		return false
	}
	if !named("exclude") && !named("only") {
		return v
	}
	timed, _ := v.Field("plan_type").Text()
	w := wire.NewWriter(v.Encoding(), nil)
	w.BeginMap()
	for name, member := range v.Map() {
		switch {
		case name == "exclude", name == "only", name == "excluded":
		case name == "timezone" && timed != string(schema.TypeCron) && timed != string(schema.TypeWeek) && timed != string(schema.TypeMonth):
		default:
			w.KeyText(name)
			w.Value(member)
		}
	}
	w.EndMap()
	return w.Whole()
}

func diffCalendar(ctx context.Context, c *client.Client, v wire.Value) ([]Change, error) {
	id, _ := v.Field("calendar_id").Text()
	change := Change{Action: Create, What: "calendar " + id, value: v}
	present, err := c.Calendars().Get(ctx, id)
	if isNotFound(err) {
		change.Fields = fieldsOf(wire.Value{}, v)
		return []Change{change}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get calendar %s: %w", id, err)
	}
	present.Revision = 0
	was, err := wire.ValueOf(wire.JSON, present)
	if err != nil {
		return nil, err
	}
	change.Action = Update
	if change.Fields = fieldsOf(was, v); len(change.Fields) == 0 {
		return nil, nil
	}
	if hasNoEntry(v) && !hasNoEntry(was) {
		return nil, &schema.Error{
			Code: schema.CodeInvalidPlan, Field: "days",
			Message: "calendar " + id + " would lose all of its entries, and leave no day out: take it out of the files, or empty it with calendar put --allow-empty",
		}
	}
	return []Change{change}, nil
}

// hasNoEntry reports that a calendar leaves no day out.
func hasNoEntry(v wire.Value) bool {
	return v.Field("days").Len()+v.Field("except").Len()+v.Field("windows").Len() == 0
}

// Calendars returns all present calendars, in the form for Write.
func Calendars(ctx context.Context, c *client.Client) (all []wire.Value, err error) {
	for summary, err := range c.Calendars().All(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list calendars: %w", err)
		}
		record, err := c.Calendars().Get(ctx, summary.CalendarID)
		if isNotFound(err) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("get calendar %s: %w", summary.CalendarID, err)
		}
		record.Revision = 0
		v, err := wire.ValueOf(wire.JSON, record)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
