package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// namesake returns a warning that a worker with this id is at a station already; empty: there is
// none, or the user may not ask. It asks before this worker announces itself. A killed worker
// counts as present for half a minute.
func namesake(ctx context.Context, nc *nats.Conn, o client.Options, id, station string) (warning string) {
	c, err := client.New(nc, o)
	if err != nil {
		return ""
	}
	ifAllowed(ctx, nc, schema.Space{Prefix: o.Prefix}.Service("workers", "list"), func(ctx context.Context) {
		for w, err := range c.Workers().All(ctx, station) {
			if err != nil {
				return // without an answer there is no warning, because the worker needs none
			}
			if w.WorkerID == id {
				warning = fmt.Sprintf("warning: a worker %s is at station %s already, or was killed there lately (it was last seen %s): of two processes of one id, one gets what names that id, and their votes count as one; give each an --id of its own",
					id, station, w.LastSeen.UTC().Format(time.RFC3339))
			}
		}
	})
	return warning
}
