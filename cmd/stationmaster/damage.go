package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newDamage() *cobra.Command {
	var a asker
	cmd := group("damage", "See losses of stored data, and acknowledge them", newDamageList(&a), newDamageAcknowledge(&a))
	cmd.Long = `When a scheduler finds that a disk has lost stored data it goes on with the rest,
and reports the loss at /readyz and as a metric until a person acknowledges it.`
	a.flags(cmd)
	return cmd
}

// withDamage calls f with all unacknowledged damage.
func withDamage(a *asker, cmd *cobra.Command, f func(context.Context, *client.Client, []schema.Damage) error) error {
	return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
		ctx, cancel := context.WithTimeout(ctx, a.timeout)
		defer cancel()
		lost, err := c.Damage().List(ctx)
		if err != nil {
			return err
		}
		return f(ctx, c, lost)
	})
}

func newDamageList(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:     "ls",
		Short:   "List the losses that are not acknowledged",
		Example: "  stationmaster damage ls",
		Args:    takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withDamage(a, cmd, func(_ context.Context, _ *client.Client, lost []schema.Damage) error {
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "damage", each(lost))
				}
				return printTable(cmd, []string{"DAMAGE", "HAD", "HAS", "FOUND BY", "AT", "WHAT"}, each(lost), func(d *schema.Damage) []string {
					return []string{
						d.Name(), strconv.FormatUint(d.Had, 10), strconv.FormatUint(d.Has, 10), orDash(d.Node), when(d.Last), d.Text,
					}
				})
			})
		},
	}
}

func newDamageAcknowledge(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "acknowledge DAMAGE",
		Short: "Acknowledge a loss, so that it is no longer reported",
		Long: `Say that you know of a loss, named as "damage ls" and /readyz name it. It brings
nothing back: look first whether all plans are there, and restore a backup if not.`,
		Example: "  stationmaster damage acknowledge short.PLAN_JOURNAL",
		Args:    takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withDamage(a, cmd, func(ctx context.Context, c *client.Client, lost []schema.Damage) error {
				for i := range lost {
					if lost[i].Name() != args[0] {
						continue
					}
					if err := c.Damage().Acknowledge(ctx, lost[i]); err != nil {
						return err
					}
					_, err := fmt.Fprintf(cmd.OutOrStdout(), "acknowledged %s: %s\n", args[0], lost[i].Text)
					return err
				}
				return fmt.Errorf("there is no unacknowledged damage %s; stationmaster damage ls lists them", args[0])
			})
		},
	}
}
