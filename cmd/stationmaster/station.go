package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
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
					return err
				}
			}
			record, err := fields.read(cmd)
			if err != nil {
				return err
			}
			if err := refuseBoth(fields.flags, record, clear); err != nil {
				return err
			}
			if record.Field("station").IsZero() {
				return usagef("name the station")
			}
			was := a.replacing(cmd, "stations", map[string]any{"station": record.Field("station")})
			if record, err = fields.overRecord(record, was, clear); err != nil {
				return err
			}
			return a.do(cmd, record.Encoding(), func(ctx context.Context, c *client.Client) error {
				var put schema.StationPut
				if err := c.Do(ctx, "stations", "put", record, &put); err != nil {
					return err
				}
				if !put.Created && was.IsZero() {
					cmd.PrintErrln("warning: the record that was there could not be read, and is replaced whole")
				}
				warnOfLost(cmd, was, record)
				done := "replaced"
				switch {
				case put.Created:
					done = "put"
				case fields.file == "" && !was.IsZero():
					done = "changed"
				}
				return a.answer(cmd, &put, fmt.Sprintf("%s %s, kind %s", done, put.Station, put.Kind))
			})
		},
	}
	fields.add(cmd)
	listVar(cmd.Flags(), &clear, "clear", "take this `field` of the record, by its name in JSON, back to its default; repeat it for more")
	return cmd
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
	return &cobra.Command{
		Use:   "rm STATION",
		Short: "Delete a station's record",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				deleted, err := c.Stations().Delete(ctx, args[0])
				if err != nil {
					return err
				}
				return a.answer(cmd, deleted, "removed "+args[0])
			})
		},
	}
}
