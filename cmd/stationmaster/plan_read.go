package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPlanList(a *asker) *cobra.Command {
	var filter schema.ListPlans
	var status, waits []string
	var planType, dueFrom, dueBefore string
	var limit int
	var showLabels bool
	cmd := &cobra.Command{
		Use:   "ls [STATION]",
		Short: "List plans",
		Long: `List the plans that have not closed, by station, then id. A station that ends in
".>" is all stations below it. Of several filters all must match.`,
		Example: `  stationmaster plan ls hello --status paused,plan_error
  stationmaster plan ls --text invoice --label team=blue
  stationmaster plan ls --due-from 0s --due-before 1h     # due within an hour`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				filter.Station = args[0]
			}
			filter.Status, filter.Waits, filter.PlanType = status, waits, schema.PlanType(planType)
			for flag, due := range map[string]struct {
				text string
				into *time.Time
			}{"due-from": {dueFrom, &filter.DueFrom}, "due-before": {dueBefore, &filter.DueBefore}} {
				if due.text == "" {
					continue
				}
				var err error
				if *due.into, err = moment(due.text, time.Now()); err != nil {
					return usagef("--%s %w", flag, err)
				}
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				plans := first(limit, c.Plans().All(ctx, filter))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "plans", plans)
				}
				heading := []string{"PLAN", "STATUS", "TYPE", "DUE", "RUN", "SKIPPED", "LAST", "SCHEDULE", "DESCRIPTION"}
				row := planRow
				if showLabels {
					heading, row = append(heading, "LABELS"), planRowWithLabels
				}
				return printTable(cmd, heading, plans, row)
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&filter.Station, "station", "", "only of this station, or below it")
	listVar(fs, &status, "status", "only of these: queued, executing, retrying, paused, pending, plan_error")
	listVar(fs, &waits, "waits", "only with something due that waits for one of these: worker, claim, room, turn, retry, jitter, lock, person, resume")
	fs.StringVar(&planType, "type", "", "only of this type")
	fs.StringVar(&filter.Text, "text", "", "only with this in the id, name, command, description or request id")
	timeVar(fs, &dueFrom, "due-from", "only due at this `time` or later: RFC 3339, Unix seconds, or a span from now")
	timeVar(fs, &dueBefore, "due-before", "only due before this `time`")
	fs.StringVar(&filter.Caller, "caller", "", "only of this caller")
	fs.StringVar(&filter.TenantID, "tenant-id", "", "only of this tenant")
	fs.StringVar(&filter.Category, "category", "", "only of this category")
	labelsVar(fs, &filter.Labels, "label", "only with this label, `key=value`; repeat it for more")
	fs.BoolVar(&showLabels, "show-labels", false, "show the labels, too")
	limitVar(fs, &limit, 0)
	offer(cmd, "status", "status")
	offer(cmd, "waits", "waits")
	offer(cmd, "type", "plan_type")
	return cmd
}

func newPlanGet(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "get STATION/ID",
		Short: "Show a plan, its state, and the settings in force from its station and the configuration",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := planArgument(args[0])
			if err != nil {
				return err
			}
			return a.doPlan(cmd, wire.JSON, names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
				view, err := getInForce(ctx, c, name)
				if err != nil {
					return err
				}
				return a.answer(cmd, view, planText(name, view))
			})
		},
	}
}

// getInForce returns a plan with the settings in force, which older schedulers do not
// return.
func getInForce(ctx context.Context, c *client.Client, name schema.PlanName) (*schema.PlanView, error) {
	var view schema.PlanView
	request := schema.GetPlanRequest{Station: name.Station, PlanID: name.PlanID, InForce: true}
	err := c.Do(ctx, "plans", "get", request, &view)
	if refused, is := errors.AsType[*schema.Error](err); is && refused.Field == "in_force" {
		return c.PlanNamed(name).Get(ctx)
	}
	return &view, err
}
