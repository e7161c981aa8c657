package main

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A secretInUse is a secret in a list, with the plans that use it.
type secretInUse struct {
	schema.NamedSecret
	UsedBy []string `json:"used_by,omitempty"` // station/plan_id, in order; nil: none
}

// secretUsers are the plans whose calls are made with each secret, by its name.
func secretUsers(ctx context.Context, c *client.Client) (map[string][]string, error) {
	users := map[string][]string{}
	for view, err := range c.Plans().All(ctx, schema.ListPlans{Station: schema.HTTPStation}) {
		if err != nil {
			return nil, err
		}
		for _, name := range secretsOf(view.Plan) {
			users[name] = append(users[name], planNameOf(view.Plan).String())
		}
	}
	return users, nil
}

// warnUsers warns of the plans whose calls are made with a secret that has lost hosts or a tenant.
func (a *asker) warnUsers(cmd *cobra.Command, name string) {
	a.beside(cmd, func(ctx context.Context, c *client.Client) {
		if users, err := secretUsers(ctx, c); err == nil && len(users[name]) > 0 {
			cmd.PrintErrf("warning: %s made with %s: %s; those to a host that it does not name any more are refused from now on\n",
				callsOf(int64(len(users[name]))), name, manifest.Few(users[name]))
		}
	})
}

// secretsOf are the secrets that the calls of a definition name, each once.
func secretsOf(definition wire.Value) (names []string) {
	for _, message := range definition.Field("messages").List() {
		var call schema.HTTPCall
		if wire.DecodeLoose(message, &call) == nil {
			names = append(names, call.Secrets()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// withUsers adds to secrets the plans that use them.
func withUsers(secrets iter.Seq2[schema.NamedSecret, error], users map[string][]string) iter.Seq2[secretInUse, error] {
	return func(yield func(secretInUse, error) bool) {
		for secret, err := range secrets {
			if !yield(secretInUse{secret, users[secret.Name]}, err) {
				return
			}
		}
	}
}

// callsOf returns the words for the calls of so many plans.
func callsOf(plans int64) string {
	if plans == 1 {
		return "calls of 1 plan are"
	}
	return fmt.Sprintf("calls of %d plans are", plans)
}
