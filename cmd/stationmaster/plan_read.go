package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPlanList(a *asker) *cobra.Command {
	var filter schema.ListPlans
	var status []string
	var planType, dueFrom, dueBefore string
	var limit int
	cmd := &cobra.Command{
		Use:   "ls [STATION]",
		Short: "List plans",
		Long: `List the plans that have not closed, by station, then id. A station that ends in
".>" is all stations below it. Of several filters all must match.`,
		Example: `  stationmaster plan ls hello --status paused,plan_error
  stationmaster plan ls --text invoice --label team=blue
  stationmaster plan ls --due-from 0s --due-before 1h     # due within an hour`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				filter.Station = args[0]
			}
			filter.Status, filter.PlanType = status, schema.PlanType(planType)
			for flag, due := range map[string]struct {
				text string
				into *time.Time
			}{"due-from": {dueFrom, &filter.DueFrom}, "due-before": {dueBefore, &filter.DueBefore}} {
				if due.text == "" {
					continue
				}
				var err error
				if *due.into, err = moment(due.text, time.Now()); err != nil {
					return usagef("--%s: %w", flag, err)
				}
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				plans := first(limit, c.Plans(ctx, filter))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "plans", plans)
				}
				return printTable(cmd.OutOrStdout(),
					[]string{"PLAN", "STATUS", "TYPE", "DUE", "RUN", "SKIPPED", "LAST"}, plans, planRow)
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&filter.Station, "station", "", "only of this station, or below it")
	fs.StringSliceVar(&status, "status", nil, "only of these: queued, executing, retrying, paused, pending, plan_error")
	fs.StringVar(&planType, "type", "", "only of this type")
	fs.StringVar(&filter.Text, "text", "", "only with this in the id, command, description or request id")
	fs.StringVar(&dueFrom, "due-from", "", "only due at this `time` or later: RFC 3339, Unix seconds, or a span from now")
	fs.StringVar(&dueBefore, "due-before", "", "only due before this `time`")
	fs.StringVar(&filter.Caller, "caller", "", "only of this caller")
	fs.StringVar(&filter.TenantID, "tenant-id", "", "only of this tenant")
	fs.StringVar(&filter.Category, "category", "", "only of this category")
	fs.StringToStringVar(&filter.Labels, "label", nil, "only with these labels, key=value")
	fs.IntVar(&limit, "limit", 0, "at most so many; 0 for all")
	offer(cmd, "status", "status")
	offer(cmd, "type", "plan_type")
	return cmd
}

func planRow(v *schema.PlanView) []string {
	text := func(field string) string {
		s, _ := v.Plan.Field(field).Text()
		return s
	}
	planType := schema.TypeNone
	if t := v.Plan.Field("plan_type"); !t.IsZero() { // a word, or the seed's number
		_ = wire.DecodeLoose(t, &planType) // what is stored was checked
	}
	return []string{
		text("station") + "/" + text("plan_id"), string(v.State.Status), string(planType),
		when(v.State.PlanTime), strconv.FormatInt(v.State.RealRepet, 10), strconv.FormatInt(v.State.SkipNum, 10),
		orDash(v.State.LastState),
	}
}

func newPlanGet(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "get STATION/ID",
		Short: "Show a plan and where it stands",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := planArgument(args[0])
			if err != nil {
				return err
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				view, err := c.Get(ctx, name)
				if err != nil {
					return err
				}
				return a.answer(cmd, view, planText(name, view))
			})
		},
	}
}

// planText is a plan as people read it.
func planText(name schema.PlanName, v *schema.PlanView) string {
	var b strings.Builder
	s := &v.State
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", label, fmt.Sprintf(format, args...))
	}
	status := string(s.Status)
	if s.Reason != "" {
		status += " (" + string(s.Reason) + ")"
	}
	line("plan", "%s", name)
	line("status", "%s", status)
	line("due", "%s", when(s.PlanTime))
	line("run", "%d, skipped %d", s.RealRepet, s.SkipNum)
	if s.LastState != "" {
		line("last", "%s at %s", s.LastState, when(s.ExecTime))
	}
	for _, o := range s.Open {
		line("open", "%s of %s", dueStep(o.Occurrence, 0), when(o.PlanTime))
		for _, x := range o.Executions {
			line("", "%s %s%s, deadline %s", executionStep(o.Occurrence, x.Attempt, x.N), x.State, at(x.WorkerID), when(x.Deadline))
		}
	}
	line("as sent", "%s", v.Plan)
	return strings.TrimSuffix(b.String(), "\n")
}

func at(worker string) string {
	if worker == "" {
		return ""
	}
	return " at " + worker
}

func newPlanRuns(a *asker) *cobra.Command {
	var state string
	var limit int
	cmd := &cobra.Command{
		Use:   "runs STATION/ID",
		Short: "Show a plan's runs, newest first; of a closed one, too",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := planArgument(args[0])
			if err != nil {
				return err
			}
			request := schema.ListRuns{Station: name.Station, PlanID: name.PlanID, State: schema.State(state)}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				runs := first(limit, c.AllRuns(ctx, request))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "runs", runs)
				}
				return printTable(cmd.OutOrStdout(),
					[]string{"N", "OCCURRENCE", "ATTEMPT", "DUE", "STATE", "TOOK", "SAID"}, runs, runRow)
			})
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "only in this state: waiting, running, dispatched, ok, error, failure, timeout, skipped or cancelled")
	offer(cmd, "state", "state")
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many; 0 for all")
	return cmd
}

func runRow(r *schema.Result) []string {
	state, took, said := string(r.State), "-", r.Content
	if r.Reason != "" {
		state += " (" + string(r.Reason) + ")"
	}
	if r.Count > 1 {
		state += fmt.Sprintf(" ×%d", r.Count)
	}
	if !r.EndTime.IsZero() && !r.ExecTime.IsZero() {
		took = span(r.EndTime.Sub(r.ExecTime))
	}
	if !r.Error.IsZero() {
		said = r.Error
	}
	text := ""
	if !said.IsZero() {
		text = brief(said)
	}
	return []string{
		strconv.FormatInt(r.N, 10), strconv.FormatInt(r.Occurrence, 10), strconv.FormatInt(r.Attempt, 10),
		when(r.PlanTime), state, took, text,
	}
}

func newPlanRun(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:     "run STATION/ID N",
		Short:   "Show one run of a plan; of a closed one, too",
		Example: "  stationmaster plan run hello/office 7",
		Args:    takes(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := planArgument(args[0])
			if err != nil {
				return err
			}
			n, err := runArgument(args[1])
			if err != nil {
				return err
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				// As it came, so that what this release does not know is printed, too.
				var view schema.RunView
				request := schema.RunName{Station: name.Station, PlanID: name.PlanID, N: n}
				if err := c.Do(ctx, "plans", "run", request, &view); err != nil {
					return err
				}
				var run schema.Result
				if err := wire.DecodeLoose(view.Run, &run); err != nil {
					return err
				}
				return a.answer(cmd, &view, runText(name, &run))
			})
		},
	}
}

// runText is a run as people read it.
func runText(name schema.PlanName, r *schema.Result) string {
	row := runRow(r)
	lines := [][2]string{
		{"plan", name.String()}, {"run", row[0]}, {"attempt", row[2] + " of occurrence " + row[1]}, {"due", row[3]},
		{"state", row[4]}, {"sent", when(r.ExecTime)}, {"ended", when(r.EndTime)}, {"took", row[5]}, {"worker", orDash(r.WorkerID)},
	}
	if !r.Content.IsZero() {
		lines = append(lines, [2]string{"content", r.Content.String()})
	}
	if !r.Error.IsZero() {
		lines = append(lines, [2]string{"error", r.Error.String()})
	}
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "%-9s %s\n", line[0], line[1])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func newPlanPreview(a *asker) *cobra.Command {
	fields := planFields()
	var from string
	var count int64
	cmd := &cobra.Command{
		Use:   "preview [-f FILE] [flags]",
		Short: "Show when a plan would run, without creating it",
		Example: `  stationmaster plan preview --type cron --cron '30 2 * * *' --timezone America/New_York --from 2026-03-07T00:00:00Z
  stationmaster plan preview --type month --value 0 --repet -1 --count 12`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := planOf(cmd, fields)
			if err != nil {
				return err
			}
			request := schema.Preview{Plan: plan, Count: &count}
			if from != "" {
				if request.From, err = moment(from, time.Now()); err != nil {
					return usagef("--from: %w", err)
				}
			}
			return a.do(cmd, plan.Encoding(), func(ctx context.Context, c *client.Client) error {
				var answer schema.Previewed
				if err := c.Do(ctx, "plans", "preview", &request, &answer); err != nil {
					return err
				}
				if a.json {
					return printJSON(cmd.OutOrStdout(), &answer)
				}
				if len(answer.Occurrences) > 0 && answer.Occurrences[0].Occurrence == 1 {
					explainFirst(cmd.ErrOrStderr(), plan, answer.Occurrences[0].PlanTime)
				}
				for _, o := range answer.Occurrences {
					if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%d  %s\n", o.Occurrence, o.PlanTime.UTC().Format(time.RFC3339Nano)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	fields.add(cmd)
	cmd.Flags().StringVar(&from, "from", "", "`time` from which to look (default: now)")
	cmd.Flags().Int64Var(&count, "count", 6, "how many, 1 to 1000")
	return cmd
}
