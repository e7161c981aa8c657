package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// warnKept warns of options of a push that only the first push of a queue sets, or one with
// --update always. The task is in the queue, which is otherwise unchanged.
func warnKept(ctx context.Context, cmd *cobra.Command, c *client.Client, q *schema.QueuePush, pushed *schema.QueuePushed) {
	if pushed.Length < 2 { // it is the first
		return
	}
	if at := q.OnTime.Unix(); q.Update != schema.UpdateAlways && q.OnTime.After(time.Now()) && pushed.OnTime != 0 && pushed.OnTime != at {
		cmd.PrintErrf("warning: queue %s had a time already, and keeps it: --at is not taken without --update always\n", q.Key)
	}
	if !cmd.Flags().Changed("abandon-after") || q.AbandonAfter != 0 { // another time is refused
		return
	}
	found, err := c.Queue(q.Key).Get(ctx)
	if err != nil {
		return // the task may have been taken, and the user may not read the queue
	}
	plan, err := c.Plan(found.Station, found.PlanID).Get(ctx)
	if err != nil || plan.State.Inbox == nil || plan.State.Inbox.AbandonAfter == 0 {
		return
	}
	cmd.PrintErrf("warning: queue %s was there already, and is thrown away after %v, as its first push demanded: --abandon-after 0 is ignored\n",
		q.Key, plan.State.Inbox.AbandonAfter.Duration())
}
