package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

const queuesGroup = "queues"

// A Queue is a handle of one merge queue, by its key. The queue exists from its first push
// on. Methods set the Key of a request.
type Queue struct {
	c   *Client
	key string
}

// Queue returns the handle of a merge queue.
func (c *Client) Queue(key string) Queue { return Queue{c, key} }

// Key returns the key of the queue.
func (q Queue) Key() string { return q.key }

// Push adds a task to the queue, and creates the queue when there is none. A push that is
// repeated after [ErrUnavailable] may add the task twice.
func (q Queue) Push(ctx context.Context, request schema.QueuePush) (*schema.QueuePushed, error) {
	request.Key = q.key
	return change[schema.QueuePushed](ctx, q.c, queuesGroup, "push", request)
}

// Lock returns the first tasks of the queue, and locks them until Complete, Release or their
// timeout (the verb queues.get). A request with the same Random may be repeated, because it
// returns the same tasks.
func (q Queue) Lock(ctx context.Context, request schema.QueueGet) (*schema.QueueGot, error) {
	request.Key = q.key
	return readOne[schema.QueueGot](ctx, q.c, queuesGroup, "get", request)
}

// Peek returns the first tasks of the queue without a lock.
func (q Queue) Peek(ctx context.Context, request schema.QueueGet) (*schema.QueueGot, error) {
	request.Key = q.key
	return readOne[schema.QueueGot](ctx, q.c, queuesGroup, "peek", request)
}

// Complete removes tasks that are locked with request.Random, and ends the lock.
func (q Queue) Complete(ctx context.Context, request schema.QueueComplete) (*schema.QueueCompleted, error) {
	request.Key = q.key
	return change[schema.QueueCompleted](ctx, q.c, queuesGroup, "complete", request)
}

// Release ends the lock of request.Random; the tasks stay in the queue.
func (q Queue) Release(ctx context.Context, request schema.QueueRelease) (*schema.QueueReleased, error) {
	request.Key = q.key
	return change[schema.QueueReleased](ctx, q.c, queuesGroup, "release", request)
}

// Get returns the state of the queue (the verb queues.info). The error is [ErrNotFound] when
// the queue holds nothing.
func (q Queue) Get(ctx context.Context) (*schema.Queue, error) {
	return readOne[schema.Queue](ctx, q.c, queuesGroup, "info", schema.QueueName{Key: q.key})
}

// Retry dispatches the queue's tasks now, before their time and also when the queue has
// stopped.
func (q Queue) Retry(ctx context.Context) (*schema.QueueRetried, error) {
	return change[schema.QueueRetried](ctx, q.c, queuesGroup, "retry", schema.QueueName{Key: q.key})
}

// Delete removes the queue with all its tasks.
func (q Queue) Delete(ctx context.Context) (*schema.QueueDeleted, error) {
	return change[schema.QueueDeleted](ctx, q.c, queuesGroup, "delete", schema.QueueName{Key: q.key})
}

// Queues is the handle of all merge queues.
type Queues struct{ c *Client }

// Queues returns the handle of all merge queues. [Client.Queue] is that of one.
func (c *Client) Queues() Queues { return Queues{c} }

// All returns the merge queues that match, by station, then plan id, page by page; an error
// ends the sequence. request.Limit is the length of a page, request.Cursor the first page.
func (q Queues) All(ctx context.Context, request schema.ListQueues) iter.Seq2[schema.Queue, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.Queue, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.QueuePage](ctx, q.c, queuesGroup, "list", request)
		if err != nil {
			return nil, "", err
		}
		return page.Queues, page.Next, nil
	})
}
