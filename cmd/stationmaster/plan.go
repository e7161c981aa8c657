package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An asker is what all subcommands of plan and of station have: a connection, and
// whether people or programs read the answer.
type asker struct {
	connection
	json bool
}

func (a *asker) flags(cmd *cobra.Command) {
	a.connection.flags(cmd)
	cmd.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON")
}

// answer prints an answer of the scheduler: as JSON, or as the line that people get.
func (a *asker) answer(cmd *cobra.Command, answer any, line string) error {
	if a.json {
		return printJSON(cmd.OutOrStdout(), answer)
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), line)
	return err
}

func newPlan() *cobra.Command {
	var a asker
	cmd := group("plan", "Create, look at and end plans",
		newPlanCreate(&a), newPlanImport(&a), newPlanPreview(&a),
		newPlanList(&a), newPlanGet(&a), newPlanRuns(&a),
		newPlanClose(&a), newPlanRemove(&a))
	a.flags(cmd)
	return cmd
}

func newPlanClose(a *asker) *cobra.Command {
	return a.ending("close STATION/ID", "End a plan; what is under way may finish",
		(*client.Client).Close, "closed")
}

func newPlanRemove(a *asker) *cobra.Command {
	return a.ending("rm STATION/ID", "End a plan at once; what is under way is cancelled",
		(*client.Client).Remove, "removed")
}

// ending is a command that asks one thing of one plan.
func (a *asker) ending(use, short string, end func(*client.Client, context.Context, schema.PlanName) (*schema.Standing, error), done string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := planArgument(args[0])
			if err != nil {
				return err
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				standing, err := end(c, ctx, name)
				if err != nil {
					return err
				}
				return a.answer(cmd, standing, done+" "+name.String())
			})
		},
	}
}
