package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// calendars are the verbs of calendars. Every partition has all of them, as it has stations; the
// record that counts for reads and revisions is partition 0's, which changes last.
type calendars struct{ front *Front }

func (cs calendars) put(r *request) error {
	c, err := schema.ParseCalendar(r.body)
	if err != nil {
		return err
	}
	if _, err := exclude.New(c); err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		put, err := cs.replace(ctx, c, !r.dry)
		if put.DryRun = r.dry; !r.dry && len(put.Dropped) == 0 {
			put.Plans = 0
		}
		return put, err
	})
}

// replace has all partitions take c. If the last one refuses it, because another change came
// first, the others get its record back, unless this is a dry run, which has changed none.
func (cs calendars) replace(ctx context.Context, c *schema.Calendar, changes bool) (put schema.CalendarPut, err error) {
	release, err := cs.front.lockStations(ctx)
	if err != nil {
		return put, err
	}
	defer release()
	meant, was := c.Revision, uint64(0)
	before, err := ask[schema.Calendar](ctx, cs.front, 0, command.GetCalendar{CalendarID: c.CalendarID})
	switch {
	case err == nil:
		was = before.Revision
	case !errors.Is(err, schema.CodeNotFound):
		return put, err
	}
	if meant == 0 {
		meant = was
	}
	c.Revision = was + 1
	var others []schema.CalendarPut
	if meant == was {
		for p := cs.front.partitions() - 1; p > 0; p-- {
			other, err := ask[schema.CalendarPut](ctx, cs.front, p, command.PutCalendar{Calendar: c})
			if err != nil {
				return put, err
			}
			others = append(others, other)
		}
	}
	put, err = ask[schema.CalendarPut](ctx, cs.front, 0, command.PutCalendar{Calendar: c, Was: &meant})
	if errors.Is(err, schema.CodeConflict) && meant == was && changes {
		cs.share(ctx, c.CalendarID)
	}
	if err == nil {
		put.Dropped = command.Dropped(before, c)
	}
	for _, other := range others {
		put.Plans += other.Plans
		put.NoTime = withOthers(put.NoTime, other.NoTime)
	}
	return put, err
}

// mostNamed is how many plans of all partitions an answer names.
const mostNamed = 10

// withOthers are the plans of two partitions; nil: none.
func withOthers(one, two *schema.NoTime) *schema.NoTime {
	if one == nil || two == nil {
		return cmp.Or(one, two)
	}
	names := slices.Concat(one.Plans, two.Plans)
	return &schema.NoTime{Count: one.Count + two.Count, More: one.More || two.More, Plans: names[:min(len(names), mostNamed)]}
}

// share gives all partitions the record of partition 0.
func (cs calendars) share(ctx context.Context, id string) {
	record, err := ask[schema.Calendar](ctx, cs.front, 0, command.GetCalendar{CalendarID: id})
	if err != nil {
		return // the next put of it does the same
	}
	for p := cs.front.partitions() - 1; p > 0; p-- {
		_, _ = ask[schema.CalendarPut](ctx, cs.front, p, command.PutCalendar{Calendar: &record})
	}
}

func (cs calendars) delete(r *request) error {
	id, err := r.calendarID()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		answers, err := changeStation[schema.CalendarDeleted](ctx, cs.front, command.DeleteCalendar{CalendarID: id})
		if errors.Is(err, schema.CodeConflict) {
			cs.share(ctx, id) // those before the one with plans have deleted it
		}
		return last(answers), err
	})
}

func (cs calendars) get(r *request) error {
	id, err := r.calendarID()
	if err != nil {
		return err
	}
	r.ask(0, command.GetCalendar{CalendarID: id})
	return nil
}

// calendarID reads a request that has no fields but the id of a calendar.
func (r *request) calendarID() (string, error) {
	var q schema.CalendarName
	if err := r.decode(&q); err != nil {
		return "", err
	}
	return q.CalendarID, r.checkCalendar(q.CalendarID)
}

func (r *request) checkCalendar(id string) error {
	if err := schema.CheckID(id); err != nil {
		return r.invalid("calendar_id", "calendar_id %v", err)
	}
	return nil
}

// list answers with the calendars, by id, and how many plans of all partitions name each.
func (cs calendars) list(r *request) error {
	var q schema.ListCalendars
	if err := r.decode(&q); err != nil {
		return err
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parseCalendarCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		look := command.ListCalendars{Limit: limit, After: after}
		slice, err := ask[command.CalendarSlice](ctx, cs.front, 0, look)
		if err != nil {
			return nil, err
		}
		plans := map[string]int64{}
		for p := 1; p < cs.front.partitions(); p++ {
			others, err := ask[command.CalendarSlice](ctx, cs.front, p, look)
			if err != nil {
				return nil, err
			}
			for _, c := range others.Calendars {
				plans[c.CalendarID] += c.Plans
			}
		}
		p := newPage(r.enc, "calendars", limit)
		for i := range slice.Calendars {
			c := &slice.Calendars[i]
			c.Plans += plans[c.CalendarID]
			entry, err := wire.ValueOf(p.enc, c)
			if err != nil {
				return nil, err
			}
			if !p.add(entry) {
				return p.end(calendarCursor(after)), nil
			}
			after = c.CalendarID
		}
		if slice.More {
			return p.end(calendarCursor(after)), nil
		}
		return p.end(""), nil
	})
}

// mostDays is how many days one answer shows, a year.
const mostDays = 366

// days answers with the days that a calendar holds.
func (cs calendars) days(r *request) error {
	var q schema.AskCalendarDays
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkCalendar(q.CalendarID); err != nil {
		return err
	}
	var ends [2]time.Time
	for i, end := range []struct{ field, date string }{{"from", q.From}, {"until", q.Until}} {
		at, ok := schema.ParseDate(end.date)
		if !ok {
			return r.invalid(end.field, "%s is %q; it takes a day such as 2026-12-25", end.field, end.date)
		}
		ends[i] = at
	}
	switch days := ends[1].Sub(ends[0]) / (24 * time.Hour); {
	case days < 0:
		return r.invalid("until", "until lies before from")
	case days >= mostDays:
		return r.invalid("until", "until lies %d days after from; a year is shown at most", days)
	}
	return r.async(func(ctx context.Context) (any, error) {
		record, err := ask[schema.Calendar](ctx, cs.front, 0, command.GetCalendar{CalendarID: q.CalendarID})
		if err != nil {
			return nil, err
		}
		c, err := exclude.New(&record)
		if err != nil {
			return nil, fmt.Errorf("read calendar %s: %w", q.CalendarID, err)
		}
		return schema.CalendarDays{Days: c.Days(ends[0], ends[1])}, nil
	})
}

// calendarsOf returns the calendars that a plan names, as far as they exist, and the ids of the
// others, so that an error can name the nearest.
func (f *Front) calendarsOf(ctx context.Context, p *schema.Plan) (*exclude.Set, error) {
	set := &exclude.Set{}
	for _, ids := range [][]string{p.Exclude, p.Only} {
		for _, id := range ids {
			record, err := ask[schema.Calendar](ctx, f, 0, command.GetCalendar{CalendarID: id})
			switch {
			case errors.Is(err, schema.CodeNotFound):
				return set, asOfPlan(err, p, id)
			case err != nil:
				return set, err
			}
			c, err := exclude.New(&record)
			if err != nil {
				return set, fmt.Errorf("read calendar %s: %w", id, err)
			}
			set.Put(id, c)
		}
	}
	return set, nil
}

// asOfPlan makes the error that there is no such calendar one about the plan that names it.
func asOfPlan(err error, p *schema.Plan, id string) error {
	wrong := &schema.Error{Code: schema.CodeInvalidPlan, Field: "only", Message: err.Error()}
	var e *schema.Error
	if errors.As(err, &e) {
		wrong.Message = e.Message
	}
	for _, named := range p.Exclude {
		if named == id {
			wrong.Field = "exclude"
		}
	}
	return wrong
}
