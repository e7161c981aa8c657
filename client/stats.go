package client

import (
	"context"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Overview returns the counters of all plans, the next that are due, and trouble.
func (c *Client) Overview(ctx context.Context, lang schema.Lang) (*schema.Overviewed, error) {
	return readOne[schema.Overviewed](ctx, c, plansGroup, "overview", schema.Overview{Lang: lang})
}

// Calendar returns how many occurrences of the plans that match fall due in which hour or day.
func (c *Client) Calendar(ctx context.Context, request schema.PlanCalendar) (*schema.DueCalendar, error) {
	return readOne[schema.DueCalendar](ctx, c, plansGroup, "calendar", request)
}

// Timeline returns the runs that a span of time meets, in lanes.
func (c *Client) Timeline(ctx context.Context, request schema.PlanTimeline) (*schema.Timeline, error) {
	return readOne[schema.Timeline](ctx, c, plansGroup, "timeline", request)
}

// Series returns results, skips or lateness over time.
func (c *Client) Series(ctx context.Context, request schema.StatsSeries) (*schema.StatsPoints, error) {
	return readOne[schema.StatsPoints](ctx, c, plansGroup, "series", request)
}
