package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPlanUpdate(a *asker) *cobra.Command {
	fields := updateFields()
	var clear []string
	var revision uint64
	var dry bool
	cmd := &cobra.Command{
		Use:   "update STATION/ID [-f FILE] [flags]",
		Short: "Change fields of a plan",
		Long: `Change the fields in the flags, or in a file with a JSON or MessagePack map ("-" is
stdin), and leave all others of the plan as they are. A null in the file, like --clear, takes a
field back to its default. A new schedule counts from now on; executions under way keep
their definition. A change is refused that would end the plan without a run, as a time
that has passed does, or run it at once, as type none does, though its time is to come.

Flags such as --retry-interval change one member of the plan's policy of retries, or of
its station's where it has none, and --retry the strategy, without the members
that mean nothing to the new one. --label replaces all labels but that of the set that apply keeps
the plan in, which goes when it is named or with --clear labels.`,
		Example: `  stationmaster plan update hello/office --cron '*/30 9-16 * * mon-fri'
  stationmaster plan update hello/office --type second --value 5 --repet -1 --clear cron --clear timezone
  echo '{"retry":{"strategy":"none"},"labels":null}' | stationmaster plan update hello/office -f -`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := planArgument(args[0])
			if err != nil {
				return err
			}
			given, err := fields.read(cmd)
			if err := errors.Join(err, refuseIdle(fields.flags), refuseUnfit(fields.flags)); err != nil {
				return err
			}
			if given.Len() == 0 && len(clear) == 0 {
				return usagef("nothing to change: give at least one field, --clear FIELD, or -f FILE")
			}
			if err := refuseBoth(fields.flags, given, clear); err != nil {
				return err
			}
			return a.doPlan(cmd, given.Encoding(), names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
				if cmd.Flags().Changed("revision") && revision == 0 {
					return usagef("--revision 0 is that of no plan: the first is 1")
				}
				request, err := updateOf(name, given, clear, revision)
				if err != nil {
					return err
				}
				if request, err = fields.changeInZone(ctx, cmd, c, name, request); err != nil {
					return err
				}
				if err := a.refuseDestroyed(cmd, name, request); err != nil {
					return err
				}
				if dry {
					return a.foreseeUpdate(ctx, cmd, c, fields, name, request)
				}
				var updated schema.Created
				if err := a.update(ctx, cmd, c, fields, name, request, &updated); err != nil {
					return hintClear(ctx, c, name, request, err)
				}
				explainSkipped(cmd.ErrOrStderr(), &updated)
				a.explainChanged(ctx, cmd, c, request, &updated)
				warnOfUpdated(cmd, updated.Dropped)
				a.warnIdle(cmd, name.Station, request)
				return a.answer(cmd, &updated, createdLine("updated", &updated))
			})
		},
	}
	fields.add(cmd)
	listVar(cmd.Flags(), &clear, "clear", "take this `field`, by its name in JSON, back to its default; repeat it for more")
	cmd.Flags().Uint64Var(&revision, "revision", 0, "only if the plan is of this revision, which plan get --json shows")
	dryRunVar(cmd.Flags(), &dry)
	return cmd
}

// mostUpdates is how often an update is merged again because of concurrent changes.
const mostUpdates = 5

// foreseeUpdate prints the changes that an update would make.
func (a *asker) foreseeUpdate(ctx context.Context, cmd *cobra.Command, c *client.Client, f *fields, name schema.PlanName, change wire.Value) error {
	request, err := asDryRun(change)
	if err != nil {
		return err
	}
	var dry schema.DryRun
	if err := a.update(ctx, cmd, c, f, name, request, &dry); err != nil {
		return hintClear(ctx, c, name, change, err)
	}
	a.warnIdle(cmd, name.Station, change)
	return a.answerDry(cmd, &dry)
}

// update changes a plan, and decodes the answer into answer. Flags for a part of a field are
// merged into the plan as it was read, and the request names its revision; when another change
// came first, the plan is read again.
func (a *asker) update(ctx context.Context, cmd *cobra.Command, c *client.Client, f *fields, name schema.PlanName, change wire.Value, answer any) error {
	if !f.settles("retry") && !f.settles("labels") {
		return c.Do(ctx, "plans", "update", change, answer)
	}
	for try := 1; ; try++ {
		view, err := c.PlanNamed(name).Get(ctx)
		if err != nil {
			return err
		}
		request := membersOf(change)
		if err := a.overPlan(cmd, f, name.Station, request, view.Plan); err != nil {
			return err
		}
		_, own := request["revision"]
		if !own {
			request["revision"] = view.State.Revision
		}
		laid, err := wire.ValueOf(change.Encoding(), request)
		if err != nil {
			return err
		}
		err = c.Do(ctx, "plans", "update", laid, answer)
		if refused, is := errors.AsType[*schema.Error](err); own || try == mostUpdates || !is || refused.Code != schema.CodeConflict || refused.Field != "revision" {
			return err
		}
	}
}

// explainChanged explains when a plan is due whose time was changed, where that is not the given time,
// and that a paused one with few times may end without a run.
func (a *asker) explainChanged(ctx context.Context, cmd *cobra.Command, c *client.Client, change wire.Value, updated *schema.Created) {
	if a.json || change.Field("plan_time").IsZero() && change.Field("plan_type").IsZero() && change.Field("plan_repet").IsZero() {
		return
	}
	plan := a.replacing(cmd, "plans", schema.PlanName{Station: updated.Station, PlanID: updated.PlanID}).Field("plan")
	if !change.Field("plan_time").IsZero() {
		explainFirst(cmd.ErrOrStderr(), plan, updated.PlanTime)
	}
	if paused, err := withField(plan, "paused", true); err == nil {
		explainLast(ctx, cmd, c, paused, updated)
	}
}

// hintClear adds to a refusal for a field that the plan has, and that was not typed, how it is taken out.
func hintClear(ctx context.Context, c *client.Client, name schema.PlanName, change wire.Value, err error) error {
	refused, is := errors.AsType[*schema.Error](err)
	if !is || refused.Code != schema.CodeInvalidPlan || !change.Field(refused.Field).IsZero() {
		return err
	}
	view, failed := c.PlanNamed(name).Get(ctx)
	if failed != nil || view.Plan.Field(refused.Field).IsZero() {
		return err
	}
	return fmt.Errorf("%w; --clear %s takes it out of the plan", err, refused.Field) // outside of the refusal, whose fields become flags
}

// updateFields are the fields of a new plan except the immutable ones.
func updateFields() *fields {
	f := newFields()
	planFields().flags.VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "station", "id", "paused", "on-conflict":
		default:
			f.flags.AddFlag(flag)
		}
	})
	return f
}

// refuseBoth refuses to set a field and to clear it.
func refuseBoth(fs *pflag.FlagSet, given wire.Value, clear []string) error {
	for _, field := range clear {
		if v := given.Field(field); v.IsZero() || v.Kind() == wire.KindNull {
			continue
		}
		sets := "the file"
		fs.VisitAll(func(f *pflag.Flag) {
			if outer, _, _ := strings.Cut(fieldName(f.Name), "."); f.Changed && outer == field {
				sets = "--" + f.Name
			}
		})
		return usagef("--clear %s takes it back to its default, and %s sets it: say one of them", field, sets)
	}
	return nil
}

// updateOf is the request that changes the given fields and clears others.
func updateOf(name schema.PlanName, given wire.Value, clear []string, revision uint64) (wire.Value, error) {
	request := membersOf(given)
	for field, is := range map[string]string{"station": name.Station, "plan_id": name.PlanID} {
		if v, ok := request[field]; ok && v != is {
			return wire.Value{}, usagef("%s is to be changed, and the file is of %s %v", name, field, v)
		}
		request[field] = is
	}
	for _, field := range clear {
		request[field] = nil
	}
	if revision != 0 {
		request["revision"] = revision
	}
	return wire.ValueOf(given.Encoding(), request)
}
