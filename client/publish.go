package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Publish creates a plan that executes a job with args, as [Plans.Create] does. The plan holds
// all other fields, such as its id, schedule and retry policy; its zero value is a plan that
// is due once, at once. The station, command and messages of the plan are the job's, and are
// an error when they are set.
//
//	created, err := client.Publish(ctx, c, images.Resize, images.ResizeArgs{Picture: "cat.png"},
//		schema.Plan{PlanID: "cat", Schedule: schema.Every(time.Hour)})
func Publish[T any](ctx context.Context, c *Client, job schema.Job[T], args T, plan schema.Plan) (*schema.Created, error) {
	if err := job.Check(); err != nil {
		return nil, fmt.Errorf("publish %s: %w", job, err)
	}
	if plan.Station != "" || plan.Command != "" || plan.Messages != nil {
		return nil, fmt.Errorf("publish %s: %w", job, errJobFields)
	}
	message, err := job.Encode(c.opts.Encoding, args)
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	plan.Station, plan.Command, plan.Messages = job.Station, job.Command, []wire.Value{message}
	return c.Plans().Create(ctx, plan)
}

var errJobFields = errors.New("the job has a station, a command and messages: leave them out of the plan")
