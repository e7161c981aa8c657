package client

import (
	"context"
	"iter"

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

// Queues returns the merge queues that match q, by station, then plan id, page by page;
// an error ends the sequence. q.Limit is how many a page has, q.Cursor where to begin.
func (c *Client) Queues(ctx context.Context, q schema.ListQueues) iter.Seq2[schema.Queue, error] {
	return pages(q.Cursor, func(cursor string) ([]schema.Queue, string, error) {
		q.Cursor = cursor
		page, err := readOne[schema.QueuePage](ctx, c, queuesGroup, "list", q)
		if err != nil {
			return nil, "", err
		}
		return page.Queues, page.Next, nil
	})
}

// Queue returns where a merge queue stands; not_found when it holds nothing.
func (c *Client) Queue(ctx context.Context, key string) (*schema.Queue, error) {
	return readOne[schema.Queue](ctx, c, queuesGroup, "info", schema.QueueName{Key: key})
}

// RetryQueue has a merge queue handed over now, whatever its time, and whatever stopped it.
func (c *Client) RetryQueue(ctx context.Context, key string) (*schema.QueueRetried, error) {
	return change[schema.QueueRetried](ctx, c, queuesGroup, "retry", schema.QueueName{Key: key})
}
