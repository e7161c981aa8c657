package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

const taskTypesGroup = "task_types"

// TaskTypes is the handle of the task types, whose names are codes.
type TaskTypes struct{ c *Client }

// TaskTypes returns the handle of the task types.
func (c *Client) TaskTypes() TaskTypes { return TaskTypes{c} }

// Put creates a task type, or replaces one. The secret of its callbacks is stored apart, so
// that a type that is put without one keeps the one it has.
func (t TaskTypes) Put(ctx context.Context, of schema.TaskType) (*schema.TaskTypePut, error) {
	return change[schema.TaskTypePut](ctx, t.c, taskTypesGroup, "put", of)
}

// Get returns a task type as it was put, without its secret.
func (t TaskTypes) Get(ctx context.Context, code string) (*schema.TaskType, error) {
	return readOne[schema.TaskType](ctx, t.c, taskTypesGroup, "get", schema.TaskTypeName{Code: code})
}

// All returns the task types by code, page by page; an error ends the sequence.
// request.Cursor is the first page.
func (t TaskTypes) All(ctx context.Context, request schema.ListTaskTypes) iter.Seq2[schema.TaskType, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.TaskType, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.TaskTypePage](ctx, t.c, taskTypesGroup, "list", request)
		if err != nil {
			return nil, "", err
		}
		return page.TaskTypes, page.Next, nil
	})
}

// Delete removes a task type. The error is [ErrConflict] while the type has unfinished tasks.
func (t TaskTypes) Delete(ctx context.Context, code string) (*schema.TaskTypeDeleted, error) {
	return change[schema.TaskTypeDeleted](ctx, t.c, taskTypesGroup, "delete", schema.TaskTypeName{Code: code})
}
