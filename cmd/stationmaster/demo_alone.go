package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A demo is alone in its installation, because it puts stations, and its worker would answer
// executions of other plans in place of their workers.

// serverOfDemo refuses the address of a nats-server that is not from the command line,
// because it was exported for commands, which use the installation there.
func serverOfDemo(fs *pflag.FlagSet) error {
	url := fs.Lookup("nats-url")
	if url.Value.String() == "" || fromCommandLine(url) {
		return nil
	}
	return usagef("%s names the nats-server at %s, and a demo is no part of an installation: say --nats-url '' for a server of its own",
		origin(url), node.External{URL: url.Value.String()})
}

// isElsewhere reports whether other commands need a flag to find the server at url.
func isElsewhere(url string) bool { return url != defaultURL || os.Getenv(variable("nats-url")) != "" }

// demoStation is the one station of the demo with a record.
var demoStation = schema.Station{Station: "news", Kind: schema.KindPub}

// refuseOthers refuses an installation with a station or a plan that no demo made. Records of an
// earlier demo that was killed are accepted as it made them.
func refuseOthers(ctx context.Context, c *client.Client) error {
	for record, err := range c.Stations().All(ctx) {
		if err != nil {
			return fmt.Errorf("list stations: %w", err)
		}
		if record.Revision = 0; !reflect.DeepEqual(record, demoStation) { // however often it was put
			return othersHave("station " + record.Station)
		}
	}
	descriptions := map[schema.PlanName]string{}
	for _, p := range castOf(time.Time{}) {
		descriptions[schema.PlanName{Station: p.Station, PlanID: p.PlanID}] = p.Description
	}
	for view, err := range c.Plans().All(ctx, schema.ListPlans{}) {
		if err != nil {
			return fmt.Errorf("list plans: %w", err)
		}
		var p schema.Plan
		if err := wire.DecodeLoose(view.Plan, &p); err != nil {
			return fmt.Errorf("read a plan: %w", err)
		}
		name := schema.PlanName{Station: p.Station, PlanID: p.PlanID}
		if description, is := descriptions[name]; !is || description != p.Description {
			return othersHave("plan " + name.String())
		}
	}
	return nil
}

func othersHave(what string) error {
	return fmt.Errorf("%s is here, which no demo made: its worker would answer for others and its stations replace theirs; leave out --data-dir, or name an empty folder", what)
}
