package main

import (
	"context"
	"fmt"
	"io"
	"strings"
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
	var comes comingFlags
	cmd := &cobra.Command{
		Use:   "preview [STATION/ID] [-f FILE] [flags]",
		Short: "Show when a plan would run, without creating it",
		Long: `Show when a plan would run, without creating it: its schedule as a sentence, and its
due times. Each line has the number of the occurrence, its time in the plan's zone and in
UTC, and a note if it is unusual. With STATION/ID it is 'plan next'.`,
		Example: `  stationmaster plan preview --type cron --cron '30 2 * * *' --timezone America/New_York --from 2026-03-07T00:00:00Z
  stationmaster plan preview --type month --value 0 --repet -1 --count 12`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := onlyComing(cmd, args[0], fields); err != nil {
					return err
				}
				return a.next(cmd, args[0], &comes)
			}
			return a.preview(cmd, fields, &comes)
		},
	}
	fields.add(cmd)
	comes.add(cmd.Flags())
	return cmd
}

func (a *asker) preview(cmd *cobra.Command, fields *fields, comes *comingFlags) error {
	plan, err := planOf(cmd, fields)
	if err != nil {
		return err
	}
	named, _ := plan.Field("timezone").Text()
	asked, err := comes.request(cmd.Flags(), clockNamed(named))
	if err != nil {
		return err
	}
	request := schema.Preview{Plan: plan, From: asked.From, Count: comes.count, Shown: asked.Shown}
	return a.do(cmd, plan.Encoding(), func(ctx context.Context, c *client.Client) error {
		var answer schema.Previewed
		if err := c.Do(ctx, "plans", "preview", &request, &answer); err != nil {
			return err
		}
		if len(answer.Occurrences) > 0 && answer.Occurrences[0].Occurrence == 1 && !a.json {
			explainFirst(cmd.ErrOrStderr(), plan, answer.Occurrences[0].PlanTime)
		}
		if len(answer.Occurrences) == 0 && !a.json {
			explainNone(cmd.ErrOrStderr(), plan, asked.From)
		}
		zone, _ := plan.Field("timezone").Text()
		return a.printComing(cmd, &answer, zone, comes.zone)
	})
}

// onlyComing refuses flags that describe a plan beside the name of one that exists.
func onlyComing(cmd *cobra.Command, arg string, fields *fields) error {
	flagName := ""
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name == "file" || fields.flags.Lookup(flag.Name) != nil {
			flagName = flag.Name
		}
	})
	if flagName != "" {
		return usagef("--%s is for a plan that does not exist yet; %s is shown as it is", flagName, arg)
	}
	return nil
}

func newPlanNext(a *asker) *cobra.Command {
	var comes comingFlags
	cmd := &cobra.Command{
		Use:   "next " + planUse,
		Short: "Show the next occurrences of a plan",
		Long: `Show the next occurrences of a plan as it stands, with its pause and the skips and
repetitions that are left: its schedule as a sentence, and the due times. Each line has the
number of the occurrence, its time in the plan's zone and in UTC, and a note if it is
unusual, as at a change of clocks.`,
		Example: `  stationmaster plan next hello/office --count 3
  stationmaster plan next hello/office --from 2027-03-27T00:00:00Z --until 2027-03-30T00:00:00Z
  stationmaster plan next hello/office --with-skipped --zone Asia/Tokyo`,
		Args: takesUpTo(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.next(cmd, args[0], &comes) },
	}
	comes.add(cmd.Flags())
	timeVar(cmd.Flags(), &comes.until, "until", "no due time after this `time`")
	return cmd
}

// next shows the next occurrences of a plan that exists.
func (a *asker) next(cmd *cobra.Command, arg string, comes *comingFlags) error {
	names, err := planArgument(arg)
	if err != nil {
		return err
	}
	if _, err := comes.request(cmd.Flags(), time.UTC); err != nil {
		return err
	}
	return a.doPlan(cmd, wire.JSON, names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
		view, err := c.PlanNamed(name).Get(ctx) // for its zone
		if err != nil {
			return err
		}
		zone, _ := view.Plan.Field("timezone").Text()
		request, err := comes.request(cmd.Flags(), clockNamed(zone))
		if err != nil {
			return err
		}
		answer, err := c.PlanNamed(name).Upcoming(ctx, request)
		if err != nil {
			return err
		}
		if why := restsBecause(answer.Reason); why != "" && !a.json {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: nothing of %s is due: %s\n", name, why)
		}
		return a.printComing(cmd, answer, zone, comes.zone)
	})
}

// restsBecause returns the reason why a plan has no due occurrence; empty: it has one.
func restsBecause(why schema.Reason) string {
	switch why {
	case "":
		return ""
	case schema.ReasonPaused:
		return "it is paused until it is resumed"
	case schema.ReasonPending, schema.ReasonPlanError:
		return "it has stopped as " + string(why) + " until it is reset"
	case schema.ReasonManual:
		return "all is skipped until a skip of 0"
	case schema.ReasonClosed:
		return "it is closed"
	case schema.ReasonRepetitions:
		return "it has had its last occurrence"
	case schema.ReasonEndAt:
		return "its schedule has ended"
	case schema.ReasonInbox:
		return "nothing is in its inbox, or it is held there"
	}
	return string(why) // of a newer scheduler
}

// comingFlags are those of commands that show due times.
type comingFlags struct {
	from, until string
	count       int64
	zone, lang  string
	withSkipped bool
}

func (f *comingFlags) add(fs *pflag.FlagSet) {
	timeVar(fs, &f.from, "from", "`time` from which to look, such as 2027-03-27, which is in the plan's zone (default: now)")
	fs.Int64Var(&f.count, "count", 6, "how many, 1 to 1000")
	fs.StringVar(&f.zone, "zone", "", "IANA name of the zone in which times are shown (default: the plan's)")
	fs.StringVar(&f.lang, "lang", "", "language of sentences: en (the default) or zh")
	fs.BoolVar(&f.withSkipped, "with-skipped", false, "show also occurrences that will not run, in their place")
}

// request is the request for a plan that exists, without its name. Times without a zone are in the
// plan's.
func (f *comingFlags) request(fs *pflag.FlagSet, zone *time.Location) (schema.Upcoming, error) {
	q := schema.Upcoming{Shown: schema.Shown{Zone: f.zone, Lang: schema.Lang(f.lang), WithSkipped: f.withSkipped}}
	if f.count == 0 { // the request would mean the default by it
		return q, usagef("--count is 0; it can be 1 to 1000")
	}
	if fs.Changed("count") || f.until == "" {
		q.Count = f.count
	}
	for _, flag := range []struct {
		name, text string
		into       *time.Time
	}{{"from", f.from, &q.From}, {"until", f.until, &q.Until}} {
		if flag.text == "" {
			continue
		}
		var err error
		now, is := time.Now(), false
		if *flag.into, is = timeWithoutZone(flag.text, now.In(zone)); is {
			continue
		}
		if *flag.into, err = moment(flag.text, now); err != nil {
			return q, usagef("--%s %w", flag.name, err)
		}
	}
	return q, nil
}

// printComing prints due times with the times in a plan's zone, or in another that was asked
// for; two empty names are UTC.
func (a *asker) printComing(cmd *cobra.Command, answer *schema.Previewed, zone, other string) error {
	if a.json {
		return printJSON(cmd.OutOrStdout(), answer)
	}
	if other != "" {
		zone = other
	}
	return writeComing(cmd.OutOrStdout(), answer, zone)
}

func writeComing(out io.Writer, answer *schema.Previewed, zone string) error {
	if answer.Words != "" {
		fmt.Fprintln(out, answer.Words)
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, o := range answer.Occurrences {
		line := fmt.Sprintf("%d\t%s\t%s", o.Occurrence, localText(&o, zone), o.PlanTime.UTC().Format(time.RFC3339Nano))
		var notes []string
		if o.Skipped {
			notes = append(notes, fmt.Sprintf("skipped (%s)", o.Reason))
		}
		for _, note := range o.Notes {
			notes = append(notes, note.Text)
		}
		if len(notes) > 0 {
			line += "\t" + strings.Join(strings.Fields(strings.Join(notes, "; ")), " ")
		}
		fmt.Fprintln(tw, line)
	}
	return tw.Flush()
}

// localText returns the local time of an occurrence with its weekday and zone. The scheduler
// computed it, because this machine may not know the zone; only for a scheduler of an earlier
// release it is computed here.
func localText(o *schema.PreviewedOccurrence, zone string) string {
	const layout = "Mon 2006-01-02 15:04:05 "
	place, known := time.LoadLocation(zone) // "" is UTC
	local, err := time.Parse(time.RFC3339Nano, o.Local)
	switch {
	case err != nil && known != nil:
		return o.PlanTime.UTC().Format(layout + "MST")
	case err != nil:
		return o.PlanTime.In(place).Format(layout + "MST")
	case known == nil && local.Format("-07:00") == local.In(place).Format("-07:00"):
		return local.In(place).Format(layout + "MST")
	}
	return local.Format(layout + "-07:00")
}
