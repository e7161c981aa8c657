package main

import (
	"context"
	"errors"
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
	cmd := &cobra.Command{
		Use:   "update STATION/ID [-f FILE] [flags]",
		Short: "Change fields of a plan",
		Long: `Change what the flags, or a file with a JSON or MessagePack map ("-" is stdin), say,
and leave all else of the plan as it is. A null in the file, like --clear, takes a
field back to its default. A new schedule counts from now on; what is under way keeps
what it was given.`,
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
			if err := errors.Join(err, refuseIdle(fields.flags)); err != nil {
				return err
			}
			if given.Len() == 0 && len(clear) == 0 {
				return usagef("say what to change: at least one field, --clear FIELD, or -f FILE")
			}
			if err := refuseBoth(fields.flags, given, clear); err != nil {
				return err
			}
			return a.doPlan(cmd, given.Encoding(), names, func(ctx context.Context, c *client.Client, name schema.PlanName) error {
				request, err := updateOf(name, given, clear, revision)
				if err != nil {
					return err
				}
				var updated schema.Created
				if err := c.Do(ctx, "plans", "update", request, &updated); err != nil {
					return err
				}
				return a.answer(cmd, &updated, createdLine("updated", &updated))
			})
		},
	}
	fields.add(cmd)
	listVar(cmd.Flags(), &clear, "clear", "take this `field`, by its name in JSON, back to its default; repeat it for more")
	cmd.Flags().Uint64Var(&revision, "revision", 0, "only if the plan is of this revision, which plan get --json shows")
	return cmd
}

// updateFields are those of a new plan without what cannot be changed.
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

// updateOf is the request that has the fields given changed and others cleared.
func updateOf(name schema.PlanName, given wire.Value, clear []string, revision uint64) (wire.Value, error) {
	request := given.Any().(map[string]any)
	for field, is := range map[string]string{"station": name.Station, "plan_id": name.PlanID} {
		if v, ok := request[field]; ok && v != is {
			return wire.Value{}, usagef("the file is about another %s than %s", field, name)
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
