package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
)

// A queue is gone when it is empty, and its target with it. A push that names none then makes a queue
// that hands nothing over.

// warnTargetless says with commands what a push to such a queue is warned of.
func warnTargetless(cmd *cobra.Command, key string) {
	cmd.PrintErrf("warning: queue %s handed its tasks to a service before, which it forgot with the last one: this push names none, so the task is kept until queue get; "+
		"to have it handed over, queue rm %s, and push it with --service\n", key, inShell(key))
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
