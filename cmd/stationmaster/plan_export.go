package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPlanExport(a *asker) *cobra.Command {
	var set string
	cmd := &cobra.Command{
		Use:   "export [STATION]",
		Short: "Write stations and plans as YAML that apply takes",
		Long: `Write all stations and plans, or those of a station (or of all below, as in
"eu.>"), as their publishers sent them, and whether each is paused now. The scheduler's
other state is not in it, nor are merge queues, task types, tasks and periodic tasks:
"stationmaster export" has all of these. Apply puts all plans of a file into one set: with
--set only those of that set are written, for an apply with the same --set.`,
		Example: `  stationmaster plan export > backup.yaml
  stationmaster apply -f backup.yaml --dry-run
  stationmaster plan export --set billing > billing.yaml`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				station := append(args, "")[0]
				if text := a.unknownStation(cmd, station); text != "" {
					return errors.New(text)
				}
				return export(ctx, c, station, set, cmd)
			})
		},
	}
	cmd.Flags().StringVar(&set, "set", "", "only the plans of this `set` of apply, without stations and calendars")
	return cmd
}

// export writes the present stations and plans, or the plans of a set.
func export(ctx context.Context, c *client.Client, station, set string, cmd *cobra.Command) error {
	stations, plans, leftOut, err := manifest.Collect(ctx, c, station)
	if err != nil {
		return err
	}
	if set != "" {
		return exportSet(cmd, plans, set)
	}
	if sets := manifest.SetsOf(plans); len(sets) > 1 {
		cmd.PrintErrf("note: the plans are of %d sets (%s): apply would put all of the file into one; --set writes the plans of one\n", len(sets), setsText(sets))
	}
	if leftOut > 0 {
		cmd.PrintErrf("note: left out: %s of merge queues, tasks and periodic tasks; stationmaster export has them\n", counted64(int64(leftOut), "plan"))
	}
	calendars, err := manifest.Calendars(ctx, c)
	if err != nil {
		return err
	}
	warnHidden(cmd, plans)
	return manifest.Write(cmd.OutOrStdout(), calendars, stations, plans)
}

// exportSet writes the plans of a set.
func exportSet(cmd *cobra.Command, plans []wire.Value, set string) error {
	of := manifest.OfSet(plans, set)
	if len(of) == 0 {
		sets := manifest.SetsOf(plans)
		if len(sets) == 0 {
			return fmt.Errorf("no plan is of set %s, nor of any other", set)
		}
		return fmt.Errorf("no plan is of set %s; there are %s", set, setsText(sets))
	}
	warnHidden(cmd, of)
	return manifest.Write(cmd.OutOrStdout(), nil, nil, of)
}

// setsText are sets with the numbers of their plans.
func setsText(sets map[string]int) string {
	var texts []string
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		texts = append(texts, fmt.Sprintf("%s: %d", set, sets[set]))
	}
	return manifest.Few(texts)
}

// warnHidden notes the plans whose headers are not written.
func warnHidden(cmd *cobra.Command, plans []wire.Value) {
	if hidden := manifest.HiddenIn(plans); len(hidden) > 0 {
		cmd.PrintErrf("note: headers that are secrets are not shown, and are %s in the file: of %s. Apply keeps the values where these plans exist, "+
			"and refuses the plans elsewhere until each has its value, or {{secret:NAME}} (stationmaster secret put)\n", schema.Hidden, strings.Join(hidden, ", "))
	}
}
