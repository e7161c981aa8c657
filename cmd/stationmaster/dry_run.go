package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// dryRunVar adds --dry-run to a command that changes a plan.
func dryRunVar(fs *pflag.FlagSet, dry *bool) {
	fs.BoolVar(dry, "dry-run", false, "show the changes, the next due times and the cancelled executions, and do nothing")
}

// foreseenVar adds --dry-run to a command that changes something else.
func foreseenVar(fs *pflag.FlagSet, dry *bool) {
	fs.BoolVar(dry, "dry-run", false, "show what would be done, and do nothing")
}

// answerForeseen prints the answer to a dry run that is the one of the change itself.
func (a *asker) answerForeseen(cmd *cobra.Command, answer any, line string) error {
	if err := a.answer(cmd, answer, line); err != nil || a.json {
		return err
	}
	cmd.PrintErrln(nothingDone)
	return nil
}

const nothingDone = "note: nothing was done, because of --dry-run"

// foresee prints the changes that a verb would make to the plan that arg names.
func (a *asker) foresee(cmd *cobra.Command, arg, verb string, more map[string]any) error {
	names, err := planArgument(arg)
	if err != nil {
		return err
	}
	return a.doPlan(cmd, wire.JSON, names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
		request := map[string]any{"station": name.Station, "plan_id": name.PlanID, "dry_run": true}
		for member, value := range more {
			request[member] = value
		}
		var dry schema.DryRun
		if err := c.Do(ctx, "plans", verb, request, &dry); err != nil {
			return err
		}
		return a.answerDry(cmd, &dry)
	})
}

// asDryRun makes a request a dry run, which has no effect but its answer, a [schema.DryRun].
func asDryRun(request wire.Value) (wire.Value, error) {
	members := membersOf(request)
	members["dry_run"] = true
	return wire.ValueOf(request.Encoding(), members)
}

// answerDry prints the answer to a dry run.
func (a *asker) answerDry(cmd *cobra.Command, dry *schema.DryRun) error {
	if a.json {
		return printJSON(cmd.OutOrStdout(), dry)
	}
	if err := writeDryRun(cmd.OutOrStdout(), dry); err != nil {
		return err
	}
	cmd.PrintErrln(nothingDone)
	return nil
}

func writeDryRun(w io.Writer, dry *schema.DryRun) error {
	name := schema.PlanName{Station: dry.Station, PlanID: dry.PlanID}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	switch {
	case dry.Created:
		fmt.Fprintf(tw, "would create %s, %s\n", name, dry.State)
	case len(dry.Changes) == 0:
		fmt.Fprintf(tw, "would change no field of %s\n", name)
	default:
		fmt.Fprintf(tw, "would change %s:\n", name)
		for _, c := range dry.Changes {
			fmt.Fprintf(tw, "  %s\t%s -> %s\n", c.Field, orNone(c.Before), orNone(c.After))
		}
	}
	for _, d := range dueTimes(dry) {
		fmt.Fprintf(tw, "  due\t%s%s\n", when(d.at), d.change)
	}
	for _, x := range dry.Cancelled {
		fmt.Fprintf(tw, "  cancels\trun %d%s\n", x.N, at(x.WorkerID))
	}
	return tw.Flush()
}

func orNone(v wire.Value) string {
	if v.IsZero() {
		return "(not given)"
	}
	if text, is := v.Text(); is && text != "" {
		return oneLine(text)
	}
	return brief(v)
}

// A dueTime is one before a change, after it, or both.
type dueTime struct {
	at     time.Time
	change string // the difference; empty: it stays as it is
}

// mostForeseen is how many due times a dry run lists; a list of fewer is whole.
const mostForeseen = 5

// dueTimes are the due times before and after a change, the soonest first. A time is new, or no
// longer there, only as far as both lists go.
func dueTimes(dry *schema.DryRun) (all []dueTime) {
	known := func(list []time.Time, at time.Time) bool {
		return len(list) < mostForeseen || !at.After(list[len(list)-1])
	}
	for _, at := range dry.After {
		d := dueTime{at: at}
		if !dry.Created && known(dry.Before, at) && !slices.ContainsFunc(dry.Before, at.Equal) {
			d.change = " (new)"
		}
		all = append(all, d)
	}
	for _, at := range dry.Before {
		if known(dry.After, at) && !slices.ContainsFunc(dry.After, at.Equal) {
			all = append(all, dueTime{at, " (no longer)"})
		}
	}
	slices.SortFunc(all, func(a, b dueTime) int { return a.at.Compare(b.at) })
	return all
}
