package client

import (
	"context"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Overview returns the counters of all plans, the next that are due, and trouble.
func (c *Client) Overview(ctx context.Context, lang schema.Lang) (*schema.Overviewed, error) {
	return readOne[schema.Overviewed](ctx, c, plansGroup, "overview", schema.Overview{Lang: lang})
}

// Series returns results, skips or lateness over time.
func (c *Client) Series(ctx context.Context, request schema.StatsSeries) (*schema.StatsPoints, error) {
	return readOne[schema.StatsPoints](ctx, c, plansGroup, "series", request)
}
