package main

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPlanList(a *asker) *cobra.Command {
	var filter schema.ListPlans
	var status, waits []string
	var planType, dueFrom, dueBefore, words string
	var brief bool
	var limit int
	var showLabels, total bool
	cmd := &cobra.Command{
		Use:   "ls [STATION]",
		Short: "List plans",
		Long: `List the plans that have not closed, by station, then id. A station that ends in
".>" is all stations below it. Of several filters all must match.`,
		Example: `  stationmaster plan ls hello --status paused,plan_error
  stationmaster plan ls --text invoice --label team=blue
  stationmaster plan ls --due-from 0s --due-before 1h     # due within an hour
  stationmaster plan ls --name-prefix hello/off --order due --words en
  stationmaster plan ls --status plan_error --total`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				filter.Station = args[0]
			}
			filter.Status, filter.Waits, filter.PlanType, filter.Words = status, waits, schema.PlanType(planType), schema.Lang(words)
			if brief {
				filter.Fields = schema.FieldsBrief
			}
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
				if total {
					return a.printTotal(ctx, cmd, c, &filter)
				}
				plans := first(limit, c.Plans().All(ctx, filter))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "plans", plans)
				}
				heading := []string{"PLAN", "STATUS", "TYPE", "DUE", "RUN", "SKIPPED", "LAST", "SCHEDULE", "DESCRIPTION"}
				row := planRow
				if showLabels {
					heading, row = append(heading, "LABELS"), planRowWithLabels
				}
				var without timeless
				err := printTable(cmd, heading, without.among(plans), row)
				if err == nil {
					without.note(cmd)
				}
				return err
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&filter.Station, "station", "", "only of this station, or below it")
	listVar(fs, &status, "status", "only of these: queued, executing, retrying, paused, pending, plan_error")
	listVar(fs, &waits, "waits", "only with something due that waits for one of these: worker, claim, room, turn, retry, jitter, lock, person, resume")
	fs.StringVar(&planType, "type", "", "only of this type")
	fs.StringVar(&filter.Text, "text", "", "only with this in the id, name, command, description or request id")
	fs.StringVar(&filter.Prefix, "name-prefix", "", "only where station/id begins with this")
	timeVar(fs, &dueFrom, "due-from", "only due at this `time` or later: RFC 3339, Unix seconds, or a span from now")
	timeVar(fs, &dueBefore, "due-before", "only due before this `time`")
	fs.StringVar(&filter.Caller, "caller", "", "only of this caller")
	fs.StringVar(&filter.TenantID, "tenant-id", "", "only of this tenant")
	fs.StringVar(&filter.Category, "category", "", "only of this category")
	labelsVar(fs, &filter.Labels, "label", "only with this label, `key=value`; repeat it for more")
	fs.BoolVar(&showLabels, "show-labels", false, "show the labels, too")
	fs.StringVar(&filter.Order, "order", "", "due: the soonest first (default: by station, then id)")
	fs.StringVar(&words, "words", "", "show the schedule in words of this language, en or zh")
	fs.BoolVar(&brief, "brief", false, "leave messages and ext out of --json")
	fs.BoolVar(&total, "total", false, "show how many there are, and list none")
	limitVar(fs, &limit, 0)
	offer(cmd, "status", "status")
	offer(cmd, "waits", "waits")
	offer(cmd, "type", "plan_type")
	cmd.MarkFlagsMutuallyExclusive("total", "limit")
	return cmd
}

// printTotal prints how many plans match a filter.
func (a *asker) printTotal(ctx context.Context, cmd *cobra.Command, c *client.Client, filter *schema.ListPlans) error {
	request := *filter
	request.Total, request.Limit = true, 1
	var page schema.PlanPage
	if err := c.Do(ctx, "plans", "list", request, &page); err != nil {
		return err
	}
	n := int64(0)
	if page.Total != nil {
		n = *page.Total
	}
	whole := page.TotalComplete == nil || *page.TotalComplete
	line := strconv.FormatInt(n, 10)
	if !whole {
		line = "at least " + line + ", because counting took too long; more filters make it shorter"
	}
	return a.answer(cmd, struct {
		Total    int64 `json:"total"`
		Complete bool  `json:"total_complete"`
	}{n, whole}, line)
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
