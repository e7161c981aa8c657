package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

const periodicGroup = "periodic_tasks"

// PutPeriodicTask makes a periodic task, or replaces what it is and leaves it online, or
// not, as it was. A new one is triggered when [Client.PeriodicOnline] says so.
func (c *Client) PutPeriodicTask(ctx context.Context, request schema.PeriodicPut) (*schema.PeriodicStanding, error) {
	return change[schema.PeriodicStanding](ctx, c, periodicGroup, "put", request)
}

// PeriodicTask returns the periodic task of an id.
func (c *Client) PeriodicTask(ctx context.Context, id string) (*schema.PeriodicTask, error) {
	return readOne[schema.PeriodicTask](ctx, c, periodicGroup, "get", schema.PeriodicName{ID: id})
}

// PeriodicTasks returns all periodic tasks that match, by type, then id, page by page; an
// error ends the sequence.
func (c *Client) PeriodicTasks(ctx context.Context, request schema.ListPeriodic) iter.Seq2[schema.PeriodicTask, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.PeriodicTask, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.PeriodicPage](ctx, c, periodicGroup, "list", request)
		if err != nil {
			return nil, "", err
		}
		return page.PeriodicTasks, page.Next, nil
	})
}

// PeriodicOnline has a periodic task triggered at its times; said again it changes
// nothing.
func (c *Client) PeriodicOnline(ctx context.Context, id string) (*schema.PeriodicStanding, error) {
	return change[schema.PeriodicStanding](ctx, c, periodicGroup, "online", schema.PeriodicName{ID: id})
}

// PeriodicOffline stops a periodic task from being triggered, at once. What is under way
// may finish, and what it misses is not caught up.
func (c *Client) PeriodicOffline(ctx context.Context, id string) (*schema.PeriodicStanding, error) {
	return change[schema.PeriodicStanding](ctx, c, periodicGroup, "offline", schema.PeriodicName{ID: id})
}

// DeletePeriodicTask removes a periodic task; what is under way is cancelled.
func (c *Client) DeletePeriodicTask(ctx context.Context, id string) (*schema.PeriodicDeleted, error) {
	return change[schema.PeriodicDeleted](ctx, c, periodicGroup, "delete", schema.PeriodicName{ID: id})
}

// PeriodicLogs returns what is logged of a periodic task, the newest first; an error ends
// the sequence.
func (c *Client) PeriodicLogs(ctx context.Context, request schema.ListPeriodicLogs) iter.Seq2[schema.PeriodicLog, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.PeriodicLog, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.PeriodicLogPage](ctx, c, periodicGroup, "logs", request)
		if err != nil {
			return nil, "", err
		}
		return page.Logs, page.Next, nil
	})
}
