package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
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

// demoStations are the stations of the demo with a record.
var demoStations = []schema.Station{
	{Station: "news", Kind: schema.KindPub},
	// Its callbacks are never taken, because nothing listens there.
	{Station: "shop", Kind: schema.KindAPI, Callback: &schema.Callback{Success: &schema.CallbackTarget{URL: "http://127.0.0.1:9/sold", Method: "POST"}}},
}

// refuseOthers refuses an installation with a station or a plan that no demo made. Records of an
// earlier demo that was killed are accepted as it made them.
func refuseOthers(ctx context.Context, c *client.Client) error {
	for record, err := range c.Stations().All(ctx) {
		if err != nil {
			return fmt.Errorf("list stations: %w", err)
		}
		record.Revision = 0 // however often it was put
		if !slices.ContainsFunc(demoStations, func(s schema.Station) bool { return reflect.DeepEqual(record, s) }) && !isDemoType(&record) {
			return othersHave("station " + record.Station)
		}
	}
	descriptions := map[schema.PlanName]string{}
	for _, p := range castOf(time.Time{}, "") {
		name := schema.PlanName{Station: p.Station, PlanID: p.PlanID}
		descriptions[name] = p.Description
		descriptions[schema.CallbackPlanOf(name)] = ""
	}
	for _, t := range demoPeriodic {
		descriptions[schema.PlanName{Station: t.Type, PlanID: "periodic_" + t.ID}] = ""
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
		if description, is := descriptions[name]; (!is || description != p.Description) && !isDemoWork(name) {
			return othersHave("plan " + name.String())
		}
	}
	return nil
}

func othersHave(what string) error {
	return fmt.Errorf("%s is here, which no demo made: its worker would answer for others and its stations replace theirs; leave out --data-dir, or name an empty folder", what)
}
