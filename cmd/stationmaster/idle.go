package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// warnIdle warns of fields of a plan, or of an update of one, without an effect at its
// station. It uses a connection of its own, because a user who may make plans, but not read
// stations, must still be able to make them.
func (a *asker) warnIdle(cmd *cobra.Command, station string, plan wire.Value) {
	if len(schema.IdleAt(plan, "")) == 0 {
		return // no field depends on the kind
	}
	_ = a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
		kind, err := kindAt(ctx, c, station)
		if err != nil {
			return nil //nolint:nilerr // then there is no warning
		}
		for _, idle := range schema.IdleAt(plan, kind) {
			cmd.PrintErrln(fmt.Sprintf("warning: %s does nothing, because station %s is of kind %s: it is for stations of kind %s",
				flagOf(cmd, idle.Name), station, kind, idle.For))
		}
		return nil
	})
}
