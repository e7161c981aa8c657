package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/ahead"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// mostCalendarDays bounds a calendar.
	mostCalendarDays = 31
	// mostCellPlans bounds the plans that a cell lists.
	mostCellPlans = 100
	// calendarTime bounds the look at all plans, because a client waits five seconds by default, and
	// countingTime what comes behind it.
	calendarTime = 3 * time.Second
	countingTime = time.Second
	// sampledPlans are those of a sample that are looked at in a millisecond; they take a third of it at most.
	sampledPlans = 100
)

// calendar answers with how many occurrences of the plans that match fall due in which hour or day.
func (ps plans) calendar(r *request) error {
	var q schema.PlanCalendar
	if err := r.decode(&q); err != nil {
		return err
	}
	query := command.ListPlans{Limit: maxLimit, Filter: schema.ListPlans{
		Station: q.Station, Status: q.Status, Waits: q.Waits, PlanType: q.PlanType, Caller: q.Caller, TenantID: q.TenantID,
		Category: q.Category, Creator: q.Creator, Labels: q.Labels, Text: q.Text, DueFrom: q.DueFrom, DueBefore: q.DueBefore, Prefix: q.Prefix,
	}}
	if err := r.checkList(&query.Filter); err != nil {
		return err
	}
	if err := r.checkLang(q.Lang); err != nil {
		return err
	}
	now := ps.now()
	bounds, err := r.cellsOf(&q, now)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		l := looking{front: ps.front, late: time.Now().Add(calendarTime), counted: time.Now().Add(calendarTime + countingTime)}
		cells := ahead.NewCells(bounds, now, q.Lang)
		query.Span = cells.Span()
		if q.WithinMS > 0 {
			l.late = time.Now().Add(time.Duration(q.WithinMS) * time.Millisecond)
			l.counted = l.late
			query.Span.Most = max(q.WithinMS*sampledPlans/int64(ps.front.partitions()), 1)
		}
		if err := l.look(ctx, query, func(slice *command.PlanSlice) error { return cells.Add(slice.Groups, slice.Count, slice.Every) }); err != nil {
			return nil, err
		}
		if err := l.count(ctx, cells); err != nil {
			return nil, err
		}
		out := cells.Counted(q.Zone, q.Step, l.partial)
		if !q.Cell.IsZero() {
			query.Span.Each, query.Span.Most = true, 0
			out.Items, out.LeftOut, err = l.plansOf(ctx, query)
		}
		return out, err
	})
}

// cellsOf checks the time that a calendar is to be about, sets the defaults, and returns the bounds of its cells.
func (r *request) cellsOf(q *schema.PlanCalendar, now time.Time) ([]time.Time, error) {
	q.Step, q.Zone = cmp.Or(q.Step, "1h"), cmp.Or(q.Zone, "UTC")
	if err := among(r, []string{"1h", "1d"}, "step", q.Step); err != nil {
		return nil, err
	}
	zone, err := schema.LoadZone(q.Zone)
	if err != nil {
		return nil, r.invalid("zone", "%v", err)
	}
	if !q.Cell.IsZero() {
		if !q.From.IsZero() || !q.Until.IsZero() {
			return nil, r.invalid("cell", "cell stands in place of from and until; give one of them")
		}
		return ahead.Bounds(q.Cell, q.Cell.Add(time.Nanosecond), q.Step, zone), nil
	}
	from, until := q.From, q.Until
	if from.IsZero() {
		from = now
	}
	if until.IsZero() {
		until = from.In(zone).AddDate(0, 0, map[string]int{"1h": 7, "1d": mostCalendarDays}[q.Step])
	}
	switch {
	case !from.Before(until):
		return nil, r.invalid("until", "until is not after from")
	case from.In(zone).AddDate(0, 0, mostCalendarDays).Before(until):
		return nil, r.invalid("until", "until lies more than %d days after from, which are shown at most", mostCalendarDays)
	}
	return ahead.Bounds(from, until, q.Step, zone), nil
}

// A looking is a look at all plans that ends in time.
type looking struct {
	front   *Front
	late    time.Time // when it ends
	counted time.Time // when the count of what it has found does
	partial bool      // it has ended early
}

// look has each partition look at its plans, a piece at a time.
func (l *looking) look(ctx context.Context, query command.ListPlans, take func(*command.PlanSlice) error) error {
	if query.Span.Until <= query.Span.From {
		return nil
	}
	for p := range l.front.partitions() {
		at := query
		for more := true; more; {
			if time.Now().After(l.late) {
				l.partial = true
				return nil
			}
			slice, err := l.front.slice(ctx, p, at)
			if err != nil {
				return err
			}
			if len(slice.Plans) > 0 {
				return &schema.Error{Code: schema.CodeUnavailable, Message: fmt.Sprintf("the node that leads partition %d is of an earlier version, which counts nothing ahead", p)}
			}
			if err := take(&slice); err != nil {
				return err
			}
			at.After, at.Due, more = slice.Last, slice.Due, slice.More
			at.Span.Every = slice.Every
		}
	}
	return nil
}

// count counts the occurrences that were added to cells, and lets others have the processor in between.
func (l *looking) count(ctx context.Context, cells *ahead.Cells) error {
	set := &exclude.Set{}
	for _, id := range cells.Calendars() {
		record, err := ask[schema.Calendar](ctx, l.front, 0, command.GetCalendar{CalendarID: id})
		if errors.Is(err, schema.CodeNotFound) {
			continue // it was deleted with the plans that named it
		}
		if err != nil {
			return err
		}
		c, err := exclude.New(&record)
		if err != nil {
			return fmt.Errorf("read calendar %s: %w", id, err)
		}
		set.Put(id, c)
	}
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = l.some(cells, set); err != nil {
			return err
		}
		if more && time.Now().After(l.counted) {
			l.partial = true
			return nil
		}
	}
	return context.Cause(ctx)
}

func (l *looking) some(cells *ahead.Cells, set *exclude.Set) (more bool, err error) {
	defer l.front.sides[reading].hold()()
	return cells.Count(set)
}

// plansOf returns the plans that have occurrences in the span of a query, the first to run first, and
// how many there is no room for.
func (l *looking) plansOf(ctx context.Context, query command.ListPlans) (items []schema.DueItem, leftOut int64, err error) {
	err = l.look(ctx, query, func(slice *command.PlanSlice) error {
		for _, g := range slice.Groups {
			items = append(items, schema.DueItem{Station: g.Station, PlanID: g.PlanID, Count: g.Count, First: time.Unix(g.First, 0).UTC()})
		}
		slices.SortFunc(items, func(a, b schema.DueItem) int {
			return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.Station, b.Station), cmp.Compare(a.PlanID, b.PlanID))
		})
		leftOut += int64(max(0, len(items)-mostCellPlans))
		items = items[:min(len(items), mostCellPlans)]
		return nil
	})
	return items, leftOut, err
}
