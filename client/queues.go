package client

import (
	"context"

	"github.com/stationmaster-io/stationmaster/schema"
)

const queuesGroup = "queues"

// PushItem adds an item to the inbox of a plan, which is made of request.Plan when there
// is none. Said again after an error of code unavailable it may be added twice.
func (c *Client) PushItem(ctx context.Context, request schema.Push) (*schema.Pushed, error) {
	return change[schema.Pushed](ctx, c, plansGroup, "push", request)
}

// Push adds a task to a merge queue, as PushItem does.
func (c *Client) Push(ctx context.Context, request schema.QueuePush) (*schema.QueuePushed, error) {
	return change[schema.QueuePushed](ctx, c, queuesGroup, "push", request)
}

// GetTasks locks the first tasks of a merge queue. With the same Random it may be said
// again, and gives the same.
func (c *Client) GetTasks(ctx context.Context, request schema.QueueGet) (*schema.QueueGot, error) {
	return readOne[schema.QueueGot](ctx, c, queuesGroup, "get", request)
}

// PeekTasks shows the first tasks of a merge queue, which are not locked.
func (c *Client) PeekTasks(ctx context.Context, request schema.QueueGet) (*schema.QueueGot, error) {
	return readOne[schema.QueueGot](ctx, c, queuesGroup, "peek", request)
}

// CompleteTasks removes tasks that are locked with Random, and ends the lock.
func (c *Client) CompleteTasks(ctx context.Context, request schema.QueueComplete) (*schema.QueueCompleted, error) {
	return change[schema.QueueCompleted](ctx, c, queuesGroup, "complete", request)
}

// ReleaseTasks ends a lock; the tasks stay.
func (c *Client) ReleaseTasks(ctx context.Context, request schema.QueueRelease) (*schema.QueueReleased, error) {
	return change[schema.QueueReleased](ctx, c, queuesGroup, "release", request)
}

// DeleteQueue throws a merge queue away with all its tasks.
func (c *Client) DeleteQueue(ctx context.Context, key string) (*schema.QueueDeleted, error) {
	return change[schema.QueueDeleted](ctx, c, queuesGroup, "delete", schema.QueueName{Key: key})
}
