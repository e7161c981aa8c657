package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPlanPreview(a *asker) *cobra.Command {
	fields := planFields()
	var from string
	var count int64
	cmd := &cobra.Command{
		Use:   "preview [STATION/ID] [-f FILE] [flags]",
		Short: "Show when a plan would run, without creating it, or when one that exists will",
		Long: `Show when a plan would run, without creating it; or, with STATION/ID, when one that
exists will, if each run is done before the next is due. Each line has the number of
the occurrence, its time in the plan's zone and in UTC, and what the clocks do there.`,
		Example: `  stationmaster plan preview --type cron --cron '30 2 * * *' --timezone America/New_York --from 2026-03-07T00:00:00Z
  stationmaster plan preview --type month --value 0 --repet -1 --count 12
  stationmaster plan preview hello/office --count 3`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.previewOf(cmd, args[0], fields, count)
			}
			plan, err := planOf(cmd, fields)
			if err != nil {
				return err
			}
			request := schema.Preview{Plan: plan, Count: &count}
			if from != "" {
				if request.From, err = moment(from, time.Now()); err != nil {
					return usagef("--from %w", err)
				}
			}
			return a.do(cmd, plan.Encoding(), func(ctx context.Context, c *client.Client) error {
				var answer schema.Previewed
				if err := c.Do(ctx, "plans", "preview", &request, &answer); err != nil {
					return err
				}
				if len(answer.Occurrences) > 0 && answer.Occurrences[0].Occurrence == 1 && !a.json {
					explainFirst(cmd.ErrOrStderr(), plan, answer.Occurrences[0].PlanTime)
				}
				zone, _ := plan.Field("timezone").Text()
				return a.printPreview(cmd, &answer, zone)
			})
		},
	}
	fields.add(cmd)
	timeVar(cmd.Flags(), &from, "from", "`time` from which to look (default: now)")
	cmd.Flags().Int64Var(&count, "count", 6, "how many, 1 to 1000")
	return cmd
}

// previewOf shows when a plan that exists will run.
func (a *asker) previewOf(cmd *cobra.Command, arg string, fields *fields, count int64) error {
	names, err := planArgument(arg)
	if err != nil {
		return err
	}
	said := ""
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name == "file" || flag.Name == "from" || fields.flags.Lookup(flag.Name) != nil {
			said = flag.Name
		}
	})
	if said != "" {
		return usagef("--%s is for a plan that does not exist yet; %s is shown as it is", said, arg)
	}
	return a.doPlan(cmd, wire.JSON, names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
		view, err := c.PlanNamed(name).Get(ctx)
		if err != nil {
			return err
		}
		var p schema.Plan
		if err := wire.DecodeLoose(view.Plan, &p); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if why := restsBecause(&view.State); why != "" {
			if a.json {
				return a.printPreview(cmd, &schema.Previewed{Occurrences: []schema.PreviewedOccurrence{}}, "")
			}
			_, err := fmt.Fprintf(cmd.ErrOrStderr(), "note: nothing of %s is due: %s\n", name, why)
			return err
		}
		rest, request := restOf(&p, &view.State)
		request.Count = &count
		if request.Plan, err = wire.ValueOf(wire.JSON, rest); err != nil {
			return fmt.Errorf("preview %s: %w", name, err)
		}
		var answer schema.Previewed
		if err := c.Do(ctx, "plans", "preview", request, &answer); err != nil {
			return err
		}
		for i := range answer.Occurrences {
			answer.Occurrences[i].Occurrence += view.State.Occurrence + view.State.SkipNext
		}
		return a.printPreview(cmd, &answer, p.Timezone)
	})
}

// restsBecause is the reason why nothing of a plan is due; empty: something is.
func restsBecause(s *schema.PlanState) string {
	switch {
	case s.Status == schema.StatusPaused:
		return "it is paused until it is resumed"
	case s.Status == schema.StatusPending, s.Status == schema.StatusPlanError:
		return "it has stopped as " + string(s.Status) + " until it is reset"
	case s.SkipNext < 0:
		return "all is skipped until a skip of 0"
	case s.PlanTime.IsZero():
		return "it has had its last occurrence, or follows the run that is under way"
	}
	return ""
}

// restOf is the remaining schedule of a plan, as if it was made now: its first occurrence
// is the plan's next one.
func restOf(p *schema.Plan, s *schema.PlanState) (*schema.Plan, *schema.Preview) {
	rest := &schema.Plan{
		Schedule: schema.Schedule{PlanType: p.PlanType, PlanValue: p.PlanValue, PlanRepet: p.PlanRepet, PlanTime: p.PlanTime,
			Cron: p.Cron, Timezone: p.Timezone, ClockChange: p.ClockChange, StartAt: p.StartAt, EndAt: p.EndAt},
	}
	if p.PlanRepet != nil && *p.PlanRepet > 0 {
		left := max(1, *p.PlanRepet-s.Occurrence-s.SkipNext)
		rest.PlanRepet = &left
	}
	from := s.PlanTime.Add(-time.Millisecond) // no two occurrences of a rule are as near
	if step := stepOf(p); step > 0 {
		from = s.PlanTime.Add(-step)
		rest.PlanTime = from
	}
	if p.PlanType == schema.TypeNone || p.PlanType == "" {
		rest.PlanType, rest.PlanTime = schema.TypeTime, s.PlanTime
	}
	if p.PlanType == schema.TypeCron {
		rest.PlanTime = time.Time{}
	}
	return rest, &schema.Preview{From: from}
}

// stepOf is the interval between the occurrences of a plan, where it is constant; 0: it is
// not.
func stepOf(p *schema.Plan) time.Duration {
	unit := map[schema.PlanType]time.Duration{
		schema.TypeSecond: time.Second, schema.TypeMinute: time.Minute, schema.TypeHour: time.Hour, schema.TypeDay: 24 * time.Hour,
	}[p.PlanType]
	if p.PlanType == schema.TypeCron {
		var every string
		if n, _ := fmt.Sscanf(p.Cron, "@every %s", &every); n == 1 {
			step, _ := time.ParseDuration(every) // stored plans were checked
			return step
		}
	}
	if p.PlanValue == nil {
		return 0
	}
	return unit * time.Duration(*p.PlanValue)
}

// printPreview prints occurrences, with their times in a zone; "" is UTC.
func (a *asker) printPreview(cmd *cobra.Command, answer *schema.Previewed, zone string) error {
	if a.json {
		return printJSON(cmd.OutOrStdout(), answer)
	}
	location, err := time.LoadLocation(zone) // "" is UTC
	if err != nil {
		location = time.UTC // the scheduler knows it, and this machine does not
	}
	return writePreview(cmd.OutOrStdout(), answer.Occurrences, location)
}

func writePreview(out io.Writer, occurrences []schema.PreviewedOccurrence, zone *time.Location) error {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	before := time.Time{}
	for _, o := range occurrences {
		at := o.PlanTime.In(zone)
		line := fmt.Sprintf("%d\t%s\t%s", o.Occurrence, at.Format("Mon 2006-01-02 15:04:05 MST"), o.PlanTime.UTC().Format(time.RFC3339Nano))
		if note := clockNote(before, at); note != "" {
			line += "\t" + note
		}
		fmt.Fprintln(tw, line)
		before = at
	}
	return tw.Flush()
}

// clockNote describes a clock change of a zone at a time, or since the time before, because
// some times do not exist, and others exist twice.
func clockNote(before, at time.Time) string {
	const clock = "15:04"
	start, end := at.ZoneBounds()
	_, now := at.Zone()
	if !start.IsZero() {
		_, was := start.Add(-time.Second).Zone()
		jump := time.Duration(now-was) * time.Second
		switch {
		case jump > 0 && at.Equal(start):
			gap := start.In(time.FixedZone("", was))
			return fmt.Sprintf("the clocks go forward: %s to %s does not exist on that day", gap.Format(clock), start.Format(clock))
		case jump < 0 && at.Before(start.Add(-jump)):
			return fmt.Sprintf("the clocks have gone back: %s exists twice on that day, and this is the second", at.Format(clock))
		}
	}
	if !end.IsZero() {
		_, next := end.Zone()
		if jump := time.Duration(next-now) * time.Second; jump < 0 && !at.Before(end.Add(jump)) {
			return fmt.Sprintf("the clocks go back: %s exists twice on that day, and this is the first", at.Format(clock))
		}
	}
	if before.IsZero() {
		return ""
	}
	if _, was := before.Zone(); was != now {
		return fmt.Sprintf("the clocks have changed from %s to %s", before.Format("-07:00"), at.Format("-07:00"))
	}
	return ""
}
