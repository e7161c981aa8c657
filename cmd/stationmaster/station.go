package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newStation() *cobra.Command {
	var a asker
	cmd := group("station", "Manage stations",
		newStationPut(&a), newStationGet(&a), newStationList(&a), newStationRemove(&a))
	cmd.Long = `A station needs no record: one that was never put is of kind api, with the defaults
for its plans. A record says otherwise.`
	a.flags(cmd)
	a.asksIn(cmd, "put", "rm")
	for _, about := range cmd.Commands() {
		if strings.Contains(about.Use, " STATION") {
			about.ValidArgsFunction = a.completeStation
		}
	}
	return cmd
}

func newStationPut(a *asker) *cobra.Command {
	fields := newFields()
	var clear []string
	fields.flags.String("station", "", "the station, if it is no argument")
	fields.flags.String("kind", "", "api: one worker gets an execution; vote: all do, and their answers are counted; pub: all subscribers do, without an answer; pull: workers fetch them")
	fields.flags.String("description", "", "its description")
	fields.flags.String("encoding", "", "force json or msgpack")
	fields.flags.String("overlap", "", "default of its plans")
	fields.flags.String("catch-up", "", "default of its plans")
	fields.flags.Uint64("revision", 0, "only if the record is of this revision, which station get shows")
	fields.flags.Int64("voters", 0, "vote: how many answers end an execution (default: as many as are there)")
	fields.flags.Int64("quorum", 0, "vote: how many of them must be ok (default: more than half)")
	secondsVar(fields.flags, nil, "exec-timeout", "default of its plans: how long a worker may be silent before an execution is given up")
	secondsVar(fields.flags, nil, "start-timeout", "default of its plans: how long until a worker must have answered")
	fields.flags.Int64("max-concurrency", 0, "how many executions may be under way at the station at once")
	fields.flags.String("concurrency", "", "when as many are: queue, skip or parallel")
	fields.flags.String("failure", "", "default of its plans")
	retryFlags(fields.flags, "default of its plans ")
	cmd := &cobra.Command{
		Use:   "put [STATION] [-f FILE] [flags]",
		Short: "Put a station's record, or change fields of the one it has",
		Long: `Put a station's record. Flags alone change those fields of the record that it has, and
leave all others as they are; a file is the whole record, in place of the one before.`,
		Example: `  stationmaster station put news --kind pub
  stationmaster station put jury --kind vote --voters 3 --quorum 2
  echo '{"station":"bills","retry":{"strategy":"fixed_period","interval":5}}' | stationmaster station put -f -`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := fields.flags.Set("station", args[0]); err != nil {
					return usagef("the station is named twice, by %q and by --station: leave one out", args[0])
				}
			}
			record, err := fields.read(cmd)
			if err := errors.Join(err, refuseUnfit(fields.flags)); err != nil {
				return err
			}
			if len(args) == 1 {
				if err := refuseOtherName(args[0], fields.inFile, "station", "station"); err != nil {
					return err
				}
			}
			if err := refuseBoth(fields.flags, record, clear); err != nil {
				return err
			}
			if record.Field("station").IsZero() {
				return usagef("name the station")
			}
			if n, is := record.Field("revision").Uint(); is && n == 0 {
				return usagef("--revision 0 is that of no record: the first is 1")
			}
			return a.do(cmd, record.Encoding(), func(ctx context.Context, c *client.Client) error {
				return a.putStation(ctx, cmd, c, fields, record, clear)
			})
		},
	}
	fields.add(cmd)
	listVar(cmd.Flags(), &clear, "clear", "take this `field` of the record, by its name in JSON, back to its default; repeat it for more")
	return cmd
}

// putStation puts a record. Flags are laid over the record as it was read, and the request names
// its revision; when another change came first, the record is read again.
func (a *asker) putStation(ctx context.Context, cmd *cobra.Command, c *client.Client, f *fields, given wire.Value, clear []string) error {
	for try := 1; ; try++ {
		was := a.replacing(cmd, "stations", map[string]any{"station": given.Field("station")})
		if f.file == "" && !was.IsZero() && given.Len() == 1 && len(clear) == 0 {
			name, _ := given.Field("station").Text()
			return usagef("nothing to change: station %s has a record; give at least one flag, --clear FIELD, or -f FILE", name)
		}
		record, err := f.overRecord(given, was, clear)
		if err != nil {
			return err
		}
		var put schema.StationPut
		err = c.Do(ctx, "stations", "put", record, &put)
		refused, is := errors.AsType[*schema.Error](err)
		if is && refused.Code == schema.CodeConflict && refused.Field == "revision" && given.Field("revision").IsZero() && try < mostUpdates {
			continue
		}
		if err != nil {
			return err
		}
		if !put.Created && was.IsZero() {
			cmd.PrintErrln("warning: the record that was there could not be read, and is replaced whole")
		}
		warnOfLost(cmd, without(was, "revision"), record)
		done := "replaced"
		switch {
		case put.Created:
			done = "put"
		case f.file == "" && !was.IsZero():
			done = "changed"
		}
		a.warnServed(ctx, cmd, c, was, &put)
		return a.answer(cmd, &put, fmt.Sprintf("%s %s, kind %s", done, put.Station, put.Kind))
	}
}

// warnServed warns of workers that serve a station of the kind that it was of before.
func (a *asker) warnServed(ctx context.Context, cmd *cobra.Command, c *client.Client, was wire.Value, put *schema.StationPut) {
	kind, _ := was.Field("kind").Text()
	if kind = cmp.Or(kind, string(schema.KindAPI)); kind == string(put.Kind) {
		return
	}
	var workers []string
	for w, err := range c.Workers().All(ctx, put.Station) {
		if err != nil {
			return // it is a hint
		}
		workers = append(workers, w.WorkerID)
	}
	if len(workers) > 0 {
		cmd.PrintErrf("warning: station %s was of kind %s, and %s it as such (%s): one that was not started for kind %s gets none of its executions\n",
			put.Station, kind, servedBy(len(workers)), manifest.Few(workers), put.Kind)
	}
}

func servedBy(workers int) string {
	if workers == 1 {
		return "1 worker serves"
	}
	return fmt.Sprintf("%d workers serve", workers)
}

func newStationGet(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "get STATION",
		Short: "Show a station's record",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				station, err := c.Stations().Get(ctx, args[0])
				if err != nil {
					return err
				}
				return printJSON(cmd.OutOrStdout(), station)
			})
		},
	}
}

func newStationList(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the stations that have a record",
		Args:  takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				stations := c.Stations().All(ctx)
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "stations", stations)
				}
				return printTable(cmd, []string{"STATION", "KIND", "DESCRIPTION"}, stations,
					func(s *schema.Station) []string {
						return []string{s.Station, string(s.Kind), strings.ReplaceAll(s.Description, "\n", " ")}
					})
			})
		},
	}
}

func newStationRemove(a *asker) *cobra.Command {
	var dry, yes bool
	cmd := &cobra.Command{
		Use:   "rm STATION",
		Short: "Delete a station's record",
		Long: `Delete a station's record. Plans of the station go on, of kind api and with the defaults. A
record that plans use is deleted with --yes alone; --dry-run shows what they would lose.`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				would, err := foreseeStationRemoved(ctx, c, args[0])
				switch {
				case err != nil:
					return err
				case dry:
					cmd.PrintErrln("note: nothing was done, because of --dry-run")
					return a.answer(cmd, would, "would remove "+lossOf(would))
				case !yes && would.Plans > 0 && len(would.Dropped) > 0:
					return fmt.Errorf("nothing was done, because plans use the record: to remove %s, say --yes", lossOf(would))
				}
				deleted, err := c.Stations().Delete(ctx, args[0])
				if err != nil {
					return err
				}
				return a.answer(cmd, deleted, "removed "+lossOf(would))
			})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show what is lost, and do nothing")
	cmd.Flags().BoolVar(&yes, "yes", false, "also if plans use the record")
	return cmd
}

// foreseeStationRemoved is the answer that a removal would have.
func foreseeStationRemoved(ctx context.Context, c *client.Client, name string) (*schema.StationDeleted, error) {
	would := new(schema.StationDeleted)
	return would, c.Do(ctx, "stations", "delete", map[string]any{"station": name, "dry_run": true}, would)
}

// lossOf names a station, and the fields that go with its record.
func lossOf(d *schema.StationDeleted) string {
	text := d.Station
	if len(d.Dropped) == 0 {
		return text
	}
	text += ", with " + strings.Join(d.Dropped, ", ")
	if d.Plans > 0 {
		text += fmt.Sprintf(", which %s lose", counted64(d.Plans, "plan"))
		if d.Plans == 1 {
			text += "s"
		}
	}
	return text
}
