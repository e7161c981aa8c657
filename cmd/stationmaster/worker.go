package main

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newWorker() *cobra.Command {
	var a asker
	cmd := group("worker", "Show workers, their stations and executions", newWorkerList(&a), newWorkerGet(&a))
	a.flags(cmd)
	return cmd
}

func newWorkerList(a *asker) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "ls [STATION]",
		Short: "List the workers that are there",
		Long: `List the workers that are there: of a station, or all. A worker without a library of
ours is seen once it has answered with a worker_id.`,
		Example: `  stationmaster worker ls
  stationmaster worker ls hello --json`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			station := strings.Join(args, "")
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				workers := first(limit, c.Workers().All(ctx, station))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "workers", workers)
				}
				if begun, err := writeTable(cmd.OutOrStdout(), []string{"WORKER", "STATIONS", "LOAD", "VERSION", "SEEN"}, workers, workerRow); err != nil || begun {
					return err
				}
				cmd.PrintErrln("note: " + cmp.Or(a.unknownStation(cmd, station), "there are none"))
				return nil
			})
		},
	}
	limitVar(cmd.Flags(), &limit, 0)
	return cmd
}

func workerRow(w *schema.Worker) []string {
	return []string{
		w.WorkerID, orDash(strings.Join(w.Stations, ",")), strconv.FormatInt(w.Load, 10), orDash(w.Version), when(w.LastSeen),
	}
}

func newWorkerGet(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "get ID",
		Short: "Show a worker that is there, and the executions that it has",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				worker, err := c.Workers().Get(ctx, args[0])
				if err != nil {
					return err
				}
				return printJSON(cmd.OutOrStdout(), worker)
			})
		},
	}
}
