package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

// ListWorkers returns one page of the workers that are there, by id. A worker that
// only subscribes, without a library, is not among them until it has answered.
func (c *Client) ListWorkers(ctx context.Context, request schema.ListWorkers) (*schema.WorkerPage, error) {
	return readOne[schema.WorkerPage](ctx, c, workersGroup, "list", request)
}

// Workers returns all workers of a station, or of all when it is empty, page by page;
// an error ends the sequence.
func (c *Client) Workers(ctx context.Context, station string) iter.Seq2[schema.Worker, error] {
	return pages("", func(cursor string) ([]schema.Worker, string, error) {
		page, err := c.ListWorkers(ctx, schema.ListWorkers{Station: station, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Workers, page.Next, nil
	})
}
