package main

import (
	"context"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// byTheirIDs puts the ids of HTTP jobs and merge queues into a filter in place of the names that people
// gave them, because a scheduler knows those plans by ids that are made of the names.
func byTheirIDs(ctx context.Context, c *client.Client, filter map[string]any) error {
	if run, is := filter[runKey].(map[string]any); is {
		station, _ := run["station"].(string)
		id, _ := run["plan_id"].(string)
		if names := knownBy(station + "/" + id); id != "" && len(names) > 0 {
			plan, err := c.Plans().Which(ctx, names)
			if err != nil {
				return err
			}
			run["station"], run["plan_id"] = plan.Station, plan.PlanID
		}
	}
	prefix, _ := filter["prefix"].(string)
	names := knownBy(prefix)
	if len(names) == 0 {
		return nil
	}
	for _, err := range c.Plans().All(ctx, schema.ListPlans{Prefix: prefix, Limit: 1, Fields: schema.FieldsBrief}) {
		return err // it is the begin of an id
	}
	plan, err := c.Plans().Which(ctx, names)
	if err == nil {
		filter["prefix"] = plan.String()
	}
	return err
}
