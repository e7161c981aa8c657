package main

import (
	"context"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// seen calls f for each item that passes.
func seen[T any](items iter.Seq2[T, error], f func()) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range items {
			f()
			if !yield(item, err) {
				return
			}
		}
	}
}

// noteNoPlan remarks that no plan has the name of which no run was found, because a name that is
// mistyped has none either.
func noteNoPlan(ctx context.Context, cmd *cobra.Command, c *client.Client, name schema.PlanName) {
	_, err := c.PlanNamed(name).Get(ctx)
	if refused, is := errors.AsType[*schema.Error](unknownPlan(ctx, c, name, err)); is && refused.Code == schema.CodeNotFound {
		cmd.PrintErrln("note: " + refused.Message)
	}
}
