package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

const periodicGroup = "periodic_tasks"

// Periodic is the handle of the periodic tasks, whose names are ids.
type Periodic struct{ c *Client }

// Periodic returns the handle of the periodic tasks.
func (c *Client) Periodic() Periodic { return Periodic{c} }

// Put creates a periodic task, which is offline, or replaces the definition of one, which
// stays online or offline as it was.
func (p Periodic) Put(ctx context.Context, request schema.PeriodicPut) (*schema.PeriodicStanding, error) {
	return change[schema.PeriodicStanding](ctx, p.c, periodicGroup, "put", request)
}

// Get returns a periodic task.
func (p Periodic) Get(ctx context.Context, id string) (*schema.PeriodicTask, error) {
	return readOne[schema.PeriodicTask](ctx, p.c, periodicGroup, "get", schema.PeriodicName{ID: id})
}

// All returns the periodic tasks that match, by type, then id, page by page; an error ends
// the sequence. request.Cursor is the first page.
func (p Periodic) All(ctx context.Context, request schema.ListPeriodic) iter.Seq2[schema.PeriodicTask, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.PeriodicTask, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.PeriodicPage](ctx, p.c, periodicGroup, "list", request)
		if err != nil {
			return nil, "", err
		}
		return page.PeriodicTasks, page.Next, nil
	})
}

// Online has a periodic task triggered at its times. It changes nothing when the task is
// online.
func (p Periodic) Online(ctx context.Context, id string) (*schema.PeriodicStanding, error) {
	return change[schema.PeriodicStanding](ctx, p.c, periodicGroup, "online", schema.PeriodicName{ID: id})
}

// Offline stops a periodic task from being triggered, at once. Executions in flight may
// finish, and missed times are not caught up.
func (p Periodic) Offline(ctx context.Context, id string) (*schema.PeriodicStanding, error) {
	return change[schema.PeriodicStanding](ctx, p.c, periodicGroup, "offline", schema.PeriodicName{ID: id})
}

// Delete removes a periodic task; executions in flight are cancelled.
func (p Periodic) Delete(ctx context.Context, id string) (*schema.PeriodicDeleted, error) {
	return change[schema.PeriodicDeleted](ctx, p.c, periodicGroup, "delete", schema.PeriodicName{ID: id})
}

// Logs returns the log of a periodic task, newest first; an error ends the sequence.
func (p Periodic) Logs(ctx context.Context, request schema.ListPeriodicLogs) iter.Seq2[schema.PeriodicLog, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.PeriodicLog, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.PeriodicLogPage](ctx, p.c, periodicGroup, "logs", request)
		if err != nil {
			return nil, "", err
		}
		return page.Logs, page.Next, nil
	})
}
