package machine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func putCalendar(t *turn, c command.PutCalendar) (schema.CalendarPut, error) {
	record := c.Calendar
	id, has := record.CalendarID, uint64(0)
	if before := t.Calendars.Set.Get(id); before != nil {
		has = before.Record.Revision
	}
	if c.Was != nil && *c.Was != has {
		return schema.CalendarPut{}, noRevision(id, has, *c.Was)
	}
	if has == 0 && t.Calendars.Set.Len() >= schema.MaxCalendars {
		return schema.CalendarPut{}, &schema.Error{
			Code: schema.CodeTooLarge, Message: fmt.Sprintf("there are %d calendars, and no more are taken; delete one that no plan names", schema.MaxCalendars),
		}
	}
	made, err := exclude.New(record)
	if err != nil {
		return schema.CalendarPut{}, err
	}
	value, pasts, err := calendarRow(wire.MsgPack, record, t.pastsOf(id))
	if err != nil {
		return schema.CalendarPut{}, &schema.Error{Code: schema.CodeInvalidRequest, Message: err.Error()}
	}
	t.setCalendar(id, made, pasts)
	t.Batch.AppendRow(event.RowCalendar, schema.PlanName{PlanID: id}, 0, value)
	plans, _ := t.Calendars.Using(id, 0)
	return schema.CalendarPut{CalendarID: id, Created: has == 0, Revision: record.Revision, NoTime: noTime(t, id), Plans: int64(plans)}, nil
}

func noRevision(id string, has, meant uint64) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "revision",
		Message: fmt.Sprintf("calendar %s is at revision %d, not %d: read it again with calendars.get, and say the change again", id, has, meant),
	}
}

// setCalendar replaces the calendar of an id, with its pasts; nil: there is none then. The plans that
// name it are gone through afterwards, and any that is read or due before is brought up to date then.
func (t *turn) setCalendar(id string, made *exclude.Calendar, pasts []exclude.Past) {
	before, had := t.Calendars.Set.Get(id), t.Calendars.Set.Pasts(id)
	were := t.Calendars.Set.Put(id, made, pasts...)
	row := t.Calendars.Rows[id]
	if row == nil {
		row = &state.Calendar{ID: id}
	}
	t.OnUndo(func() { t.Calendars.Set.PutBack(id, before, had, were) })
	asked := t.Asked
	t.OnKeep(func() {
		row.Record = nil
		if made != nil {
			row.Record = made.Record
		}
		t.Calendars.Rows[id] = row
		t.UnwriteCalendar(row, t.Batch.Number)
		for _, w := range were {
			t.m.recounts = append(t.m.recounts, &recount{Was: w, now: w.Rule.Content(), at: t.Now.Time(), from: atOnce, asked: asked})
		}
		t.m.close(id)
	})
}

func getCalendar(t *turn, c command.GetCalendar) (schema.Calendar, error) {
	found := t.Calendars.Set.Get(c.CalendarID)
	if found == nil {
		return schema.Calendar{}, t.noCalendar(c.CalendarID)
	}
	return *found.Record, nil
}

func (t *turn) noCalendar(id string) error {
	message := fmt.Sprintf("there is no calendar %q", id)
	if near := wire.Nearest(id, slices.Values(t.Calendars.Set.IDs())); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return &schema.Error{Code: schema.CodeNotFound, Field: "calendar_id", Message: message}
}

// namedInUse is how many plans the refusal to delete a calendar names, and the answer to a put.
const namedInUse = 10

func deleteCalendar(t *turn, c command.DeleteCalendar) (schema.CalendarDeleted, error) {
	if t.Calendars.Set.Get(c.CalendarID) == nil {
		return schema.CalendarDeleted{}, t.noCalendar(c.CalendarID)
	}
	if count, names := t.Calendars.Using(c.CalendarID, namedInUse); count > 0 {
		texts := make([]string, len(names))
		for i, name := range names {
			texts[i] = name.String()
		}
		users := strings.Join(texts, ", ")
		if more := count - len(names); more > 0 {
			users += fmt.Sprintf(" and %d more", more)
		}
		return schema.CalendarDeleted{}, &schema.Error{
			Code: schema.CodeConflict, Field: "calendar_id",
			Message: fmt.Sprintf("calendar %s is in use by %s", c.CalendarID, users),
		}
	}
	t.setCalendar(c.CalendarID, nil, nil)
	t.Batch.AppendRow(event.RowCalendar, schema.PlanName{PlanID: c.CalendarID}, 0, nil)
	return schema.CalendarDeleted{CalendarID: c.CalendarID, Deleted: true}, nil
}

func listCalendars(t *turn, c command.ListCalendars) (command.CalendarSlice, error) {
	var out command.CalendarSlice
	ids := t.Calendars.Set.IDs()
	from, _ := slices.BinarySearch(ids, c.After+"\x00")
	if ids = ids[from:]; len(ids) > c.Limit {
		ids, out.More = ids[:c.Limit], true
	}
	for _, id := range ids {
		record := t.Calendars.Set.Get(id).Record
		count, _ := t.Calendars.Using(id, 0)
		out.Calendars = append(out.Calendars, schema.CalendarSummary{
			CalendarID: id, Description: record.Description, Revision: record.Revision, Plans: int64(count),
		})
	}
	return out, nil
}

var errCalendarRow = errors.New("the row names no calendar")

// replayCalendar takes over the row of a calendar. A leader brings the plans up to date when it
// begins to lead.
func (m *Machine) replayCalendar(seq uint64, r event.Row) error {
	id := r.Name.PlanID
	if id == "" {
		return errCalendarRow
	}
	row := &state.Calendar{ID: id}
	if known := m.part.Calendars.Rows[id]; known != nil {
		row = known
	}
	var made *exclude.Calendar
	var pasts []exclude.Past
	if len(r.Value) > 0 {
		record, err := storedCalendar(r.Value)
		if err == nil {
			made, err = exclude.New(&record.Calendar)
		}
		if err == nil {
			pasts, err = record.Pasts()
		}
		if err != nil {
			return fmt.Errorf("replay calendar %s: %w", id, err)
		}
		row.Record = &record.Calendar
	} else {
		row.Record = nil
	}
	m.part.Calendars.Rows[id] = row
	m.part.Calendars.Set.Put(id, made, pasts...)
	if seq != event.InBucket {
		m.followCalendar(row, seq)
	}
	m.part.DropCalendar(row)
	return nil
}

func storedCalendar(value []byte) (*state.CalendarRecord, error) {
	v, err := wire.Scan(value, wire.Limits{Items: len(value)})
	if err != nil {
		return nil, err
	}
	record := new(state.CalendarRecord)
	return record, wire.Unmarshal(v, record)
}

// fitsCalendars refuses the definition of p if it names a calendar that does not exist, or if p
// would not run within five years because of its calendars. p is the plan as it would be.
func (t *turn) fitsCalendars(p *state.Plan, d *schema.Plan) error {
	if !d.HasCalendars() {
		return nil
	}
	if err := t.Calendars.Set.Missing(d); err != nil {
		return err
	}
	return exclude.Runs(p.Schedule, d, p.Prev, t.Now.Time())
}
