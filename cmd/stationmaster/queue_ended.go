package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A queue is gone when it is empty, and its target with it. A push that names none then makes a queue
// that hands nothing over.

// warnTargetless warns of a new queue without a target, if an earlier one of its key had a service.
func (a *asker) warnTargetless(cmd *cobra.Command, key string) {
	a.beside(cmd, func(ctx context.Context, c *client.Client) {
		runs, err := c.Runs().List(ctx, schema.ListRuns{Station: queue.Station, PlanID: queue.PlanID(key), Limit: 1})
		if err != nil || len(runs.Runs) == 0 {
			return
		}
		cmd.PrintErrf("warning: queue %s handed its tasks to a service before, which it forgot with the last one: this push names none, so the task is kept until queue get; "+
			"to have it handed over, queue rm %s, and push it with --service\n", key, inShell(key))
	})
}

// underWay returns a remark on the tasks of a queue that are handed over while it is removed; empty: none
// are.
func (a *asker) underWay(cmd *cobra.Command, key string) (text string) {
	a.beside(cmd, func(ctx context.Context, c *client.Client) {
		q, err := c.Queue(key).Get(ctx)
		switch {
		case err != nil || q.Locked == 0:
		case q.Service == "":
			text = fmt.Sprintf("; a worker has got %d of them, and may have done them", q.Locked)
		default:
			text = fmt.Sprintf("; %d of them were being handed over to its service, which may have taken them", q.Locked)
		}
	})
	return text
}
