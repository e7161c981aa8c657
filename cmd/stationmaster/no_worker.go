package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// noteNoWorker tells that no worker is there for a plan that executes since just now. The server says so
// in an instant, which is waited for, because "executing" alone reads as if somebody was at it.
func (a *asker) noteNoWorker(ctx context.Context, cmd *cobra.Command, c *client.Client, name schema.PlanName, is schema.Status) {
	for try := 0; try < 5 && is == schema.StatusExecuting && !a.json; try++ {
		view, err := c.PlanNamed(name).Get(ctx)
		if err != nil || taken(&view.State) {
			return
		}
		if waits := view.State.Waits; waits != nil {
			if waits.For == schema.WaitWorker {
				cmd.PrintErrf("note: no worker is at station.%s; it waits for one\n", name.Station)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
