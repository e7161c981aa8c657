package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Workers is the handle of the workers that are present.
type Workers struct{ c *Client }

// Workers returns the handle of the workers that are present.
func (c *Client) Workers() Workers { return Workers{c} }

// List returns one page of workers, by id. A worker without a library, which only subscribes,
// is not among them before its first reply.
func (w Workers) List(ctx context.Context, request schema.ListWorkers) (*schema.WorkerPage, error) {
	return readOne[schema.WorkerPage](ctx, w.c, workersGroup, "list", request)
}

// All returns the workers of a station, page by page; an error ends the sequence. An empty
// station is all stations.
func (w Workers) All(ctx context.Context, station string) iter.Seq2[schema.Worker, error] {
	return pages("", func(cursor string) ([]schema.Worker, string, error) {
		page, err := w.List(ctx, schema.ListWorkers{Station: station, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Workers, page.Next, nil
	})
}

// Get returns a worker that is there, and the executions that it has. One without a message for
// half a minute is not found.
func (w Workers) Get(ctx context.Context, id string) (*schema.WorkerView, error) {
	return readOne[schema.WorkerView](ctx, w.c, workersGroup, "get", schema.WorkerName{WorkerID: id})
}
