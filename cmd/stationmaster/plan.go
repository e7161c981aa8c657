package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An asker is the common part of all subcommands of plan and of station: a connection, and
// whether people or programs read the answer.
type asker struct {
	connection
	json bool
}

func (a *asker) flags(cmd *cobra.Command) {
	a.connection.flags(cmd)
	cmd.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON")
}

// answer prints an answer of the scheduler as JSON, or as the line for people.
func (a *asker) answer(cmd *cobra.Command, answer any, line string) error {
	if a.json {
		return printJSON(cmd.OutOrStdout(), answer)
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), line)
	return err
}

func newPlan() *cobra.Command {
	var a asker
	cmd := group("plan", "Create, look at, change and end plans",
		newPlanCreate(&a), newPlanImport(&a), newPlanExport(&a), newPlanPreview(&a), newPlanNext(&a),
		newPlanList(&a), newPlanGet(&a), newPlanRuns(&a), newPlanRun(&a), newPlanWhy(&a),
		newPlanUpdate(&a), newPlanPause(&a), newPlanResume(&a), newPlanTrigger(&a),
		newPlanSkip(&a), newPlanReset(&a), newPlanCancel(&a),
		newPlanClose(&a), newPlanRemove(&a))
	for _, one := range cmd.Commands() {
		if done := doneToMany[one.Name()]; done != "" {
			verb := one.Name()
			if verb == "rm" {
				verb = "remove"
			}
			a.orMany(one, verb, done)
		}
	}
	a.flags(cmd)
	a.asksIn(cmd, "create", "import", "update", "pause", "resume", "trigger", "skip", "reset", "cancel", "close", "rm")
	for _, about := range cmd.Commands() {
		if strings.Contains(about.Use, planUse) {
			about.ValidArgsFunction = a.completePlan
		}
		if about.Flag("station") != nil {
			complete(about, "station", a.completeStation)
		}
	}
	return cmd
}

// doneToMany are the commands that take --where, each with its verb in the past.
var doneToMany = map[string]string{
	"pause": "paused", "resume": "resumed", "trigger": "triggered", "skip": "skipping", "reset": "reset",
	"close": "closed", "rm": "removed", "cancel": "cancelled the runs of",
}

// askToComplete asks for the completions of a shell. An error only leaves none.
func (a *asker) askToComplete(cmd *cobra.Command, ask func(context.Context, *client.Client) error) {
	if settle(cmd.Flags()) != nil {
		return
	}
	a.timeout = time.Second // a completion must be quick
	_ = a.do(cmd, wire.JSON, ask)
}

// completeStation offers stations that have a record, or plans on the first page of a list.
func (a *asker) completeStation(cmd *cobra.Command, _ []string, begun string) (names []string, _ cobra.ShellCompDirective) {
	found := map[string]bool{}
	find := func(station string) {
		if strings.HasPrefix(station, begun) {
			found[station] = true
		}
	}
	a.askToComplete(cmd, func(ctx context.Context, c *client.Client) error {
		page, err := c.Plans().List(ctx, schema.ListPlans{})
		if err != nil {
			return err
		}
		for _, view := range page.Plans {
			find(planNameOf(view.Plan).Station)
		}
		for station, err := range c.Stations().All(ctx) {
			if err != nil {
				return err
			}
			find(station.Station)
		}
		return nil
	})
	return slices.Sorted(maps.Keys(found)), cobra.ShellCompDirectiveNoFileComp
}

// planUse is the usage text of a first argument that names a plan.
const planUse = "STATION/ID"

// completePlan completes a first argument with plans of a station, or of all stations, at most
// one page of a list.
func (a *asker) completePlan(cmd *cobra.Command, args []string, begun string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	station, _, named := strings.Cut(begun, "/")
	request := schema.ListPlans{}
	if named {
		request.Station = station
	}
	a.askToComplete(cmd, func(ctx context.Context, c *client.Client) error {
		page, err := c.Plans().List(ctx, request)
		if err != nil {
			return err
		}
		for _, view := range page.Plans {
			if name := planNameOf(view.Plan).String(); strings.HasPrefix(name, begun) {
				names = append(names, name)
			}
		}
		return nil
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}
