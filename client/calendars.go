package client

import (
	"context"
	"iter"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Calendars is the handle of calendars, which plans name in exclude and only.
type Calendars struct{ c *Client }

// Calendars returns the handle of calendars.
func (c *Client) Calendars() Calendars { return Calendars{c} }

// Put stores a calendar in place of the one that there is, which counts for all that falls due
// from then on. With a Revision that is no longer the present one, the error is [ErrConflict].
func (cs Calendars) Put(ctx context.Context, calendar schema.Calendar) (*schema.CalendarPut, error) {
	return change[schema.CalendarPut](ctx, cs.c, calendarsGroup, "put", calendar)
}

// Get returns a calendar with its revision. The error is [ErrNotFound] when there is none.
func (cs Calendars) Get(ctx context.Context, id string) (*schema.Calendar, error) {
	return readOne[schema.Calendar](ctx, cs.c, calendarsGroup, "get", schema.CalendarName{CalendarID: id})
}

// Delete removes a calendar. The error is [ErrConflict] while plans name it.
func (cs Calendars) Delete(ctx context.Context, id string) (*schema.CalendarDeleted, error) {
	return change[schema.CalendarDeleted](ctx, cs.c, calendarsGroup, "delete", schema.CalendarName{CalendarID: id})
}

// Days returns the days that a calendar holds, of the dates of from and until and between them, a
// year at most.
func (cs Calendars) Days(ctx context.Context, id string, from, until time.Time) (*schema.CalendarDays, error) {
	return readOne[schema.CalendarDays](ctx, cs.c, calendarsGroup, "days", schema.AskCalendarDays{
		CalendarID: id, From: from.Format(time.DateOnly), Until: until.Format(time.DateOnly),
	})
}

// List returns one page of calendars, by their ids.
func (cs Calendars) List(ctx context.Context, request schema.ListCalendars) (*schema.CalendarPage, error) {
	return readOne[schema.CalendarPage](ctx, cs.c, calendarsGroup, "list", request)
}

// All returns all calendars in short, page by page; an error ends the sequence.
func (cs Calendars) All(ctx context.Context) iter.Seq2[schema.CalendarSummary, error] {
	return pages("", func(cursor string) ([]schema.CalendarSummary, string, error) {
		page, err := cs.List(ctx, schema.ListCalendars{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Calendars, page.Next, nil
	})
}
