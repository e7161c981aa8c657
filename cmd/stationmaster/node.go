package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newNode() *cobra.Command {
	var a asker
	cmd := group("node", "See the scheduler nodes", newNodeList(&a))
	cmd.Long = `Every serve process is a node. Each partition is led by one of them; the others stand
by, take requests and ask it.`
	a.flags(cmd)
	return cmd
}

func newNodeList(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:     "ls",
		Short:   "List the nodes, and which partitions each leads",
		Example: "  stationmaster node ls",
		Args:    takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				ctx, cancel := context.WithTimeout(ctx, a.timeout)
				defer cancel()
				nodes, err := c.Nodes().List(ctx)
				if err != nil {
					return err
				}
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "nodes", each(nodes))
				}
				return printTable(cmd, []string{"NODE", "LEADS", "VERSION", "SEEN"}, each(nodes), func(n *schema.Node) []string {
					leads := strings.Trim(fmt.Sprint(n.Leads), "[]")
					if leads == "" {
						leads = "-"
					}
					return []string{n.Node, leads, n.Version, n.Seen.UTC().Format(time.DateTime)}
				})
			})
		},
	}
}
