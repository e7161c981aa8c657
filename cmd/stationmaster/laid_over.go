package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A request replaces the map of a field whole, while a flag sets one member of it. Flags of
// retry mean those members, and leave the rest as it is; flags of labels mean the user's
// own labels, and keep the one by which an apply knows its plan.

// settles reports whether flags, and not the file, set a field that is a map.
func (f *fields) settles(field string) (is bool) {
	f.flags.VisitAll(func(flag *pflag.Flag) {
		outer, _, _ := strings.Cut(fieldName(flag.Name), ".")
		is = is || flag.Changed && outer == field
	})
	return is && f.inFile.Field(field).IsZero()
}

// fitsOf are the members of retry that mean something to a strategy.
var fitsOf = map[schema.Strategy][]string{
	schema.RetryNone:        {"strategy", "need_manual"},
	schema.RetryFixed:       {"strategy", "need_manual", "max_error_count", "jitter", "interval"},
	schema.RetrySequence:    {"strategy", "need_manual", "max_error_count", "jitter", "sequence"},
	schema.RetryExponential: {"strategy", "need_manual", "max_error_count", "jitter", "interval", "max_interval"},
}

// retryOver is the policy that flags make of the one under it. Another strategy drops the
// members that have no meaning for it, or had none for the one before; a flag for a member
// without an effect under the present strategy is refused.
func retryOver(under wire.Value, flags map[string]any) (map[string]any, error) {
	if under.Kind() != wire.KindMap {
		return flags, nil
	}
	before := membersOf(under)
	strategy := strategyOf(before)
	if _, given := flags["strategy"]; !given {
		for _, member := range slices.Sorted(maps.Keys(flags)) {
			if !fits(strategy, member) {
				return nil, usagef("%s does nothing, because the strategy is %s; say --retry, too", flagOfRetry(member), strategy)
			}
		}
	}
	over := maps.Clone(before)
	maps.Copy(over, flags)
	if now := strategyOf(over); now != strategy {
		maps.DeleteFunc(over, func(member string, _ any) bool {
			_, given := flags[member]
			return !given && !(fits(strategy, member) && fits(now, member))
		})
	}
	return over, nil
}

// refuseUnfit refuses flags of retries that mean nothing to the strategy of --retry.
func refuseUnfit(fs *pflag.FlagSet) (refused error) {
	strategy := fs.Lookup("retry")
	if strategy == nil || !strategy.Changed {
		return nil
	}
	fs.VisitAll(func(flag *pflag.Flag) {
		of, member, _ := strings.Cut(fieldName(flag.Name), ".")
		if flag.Changed && of == "retry" && flag != strategy && !fits(schema.Strategy(strategy.Value.String()), member) && refused == nil {
			refused = usagef("--%s does nothing, because --retry is %s: leave one of them out", flag.Name, strategy.Value)
		}
	})
	return refused
}

// fits reports whether a member means something to a strategy; for an unknown one all do.
func fits(strategy schema.Strategy, member string) bool {
	known := fitsOf[strategy]
	return known == nil || slices.Contains(known, member)
}

func strategyOf(retry map[string]any) schema.Strategy {
	if strategy, is := retry["strategy"].(string); is && strategy != "" {
		return schema.Strategy(strategy)
	}
	return schema.RetryExponential
}

// flagOfRetry is the flag of a member of retry.
func flagOfRetry(member string) string {
	flag := strings.ReplaceAll(member, "_", "-")
	if member != "max_error_count" && member != "need_manual" {
		flag = "retry-" + flag
	}
	return "--" + flag
}

// stationRetry is the retry policy in the record of a station; zero: none, or unknown.
func (a *asker) stationRetry(cmd *cobra.Command, station string) wire.Value {
	return a.replacing(cmd, "stations", map[string]any{"station": station}).Field("retry")
}

// overPlan merges the flags of an update into the plan's present values. For a plan without
// a retry policy the base is its station's record, not the policy in force, because that
// has all defaults filled in, which would be the plan's own from then on.
func (a *asker) overPlan(cmd *cobra.Command, f *fields, station string, request map[string]any, plan wire.Value) error {
	if flags, is := request["retry"].(map[string]any); is && f.settles("retry") {
		under := plan.Field("retry")
		if under.Kind() != wire.KindMap {
			under = a.stationRetry(cmd, station)
		}
		over, err := retryOver(under, flags)
		if err != nil {
			return err
		}
		request["retry"] = over
	}
	if f.settles("labels") {
		keepSet(request, plan)
	}
	return nil
}

// overStation merges the flags of a new plan into its station's retry policy, and keeps the
// set of a plan that it replaces.
func (a *asker) overStation(cmd *cobra.Command, f *fields, plan wire.Value) (wire.Value, error) {
	request, changed := membersOf(plan), false
	flags, is := request["retry"].(map[string]any)
	if is && flags["strategy"] == nil && f.settles("retry") {
		station, _ := plan.Field("station").Text()
		under := a.stationRetry(cmd, station)
		over, err := retryOver(under, flags)
		if err != nil { // a plan may have another policy than its station
			cmd.PrintErrln(fmt.Sprintf("warning: the plan does without the retry policy of station %s, which is %s: %v", station, under, err))
		} else {
			request["retry"], changed = over, true
		}
	}
	conflict, _ := plan.Field("on_conflict").Text()
	if conflict == string(schema.ConflictUpdate) && !plan.Field("plan_id").IsZero() {
		was := a.replacing(cmd, "plans", map[string]any{"station": plan.Field("station"), "plan_id": plan.Field("plan_id")})
		changed = keepSet(request, was.Field("plan")) || changed
	}
	if !changed {
		return plan, nil
	}
	return wire.ValueOf(plan.Encoding(), request)
}

// overRecord lays the flags of a put over the record was, without the fields to clear. A file is
// the whole record.
func (f *fields) overRecord(record, was wire.Value, clear []string) (wire.Value, error) {
	if f.file != "" && len(clear) > 0 {
		return record, usagef("--clear changes the record that is there, and -f FILE is the whole record: leave the field out of the file")
	}
	if f.file != "" || was.Kind() != wire.KindMap {
		return record, nil
	}
	over, flags := membersOf(was), membersOf(record)
	if retry, is := flags["retry"].(map[string]any); is {
		policy, err := retryOver(was.Field("retry"), retry)
		if err != nil {
			return record, err
		}
		flags["retry"] = policy
	}
	maps.Copy(over, flags)
	for _, field := range clear {
		if _, has := over[field]; !has || field == "station" {
			return record, usagef("--clear %s: the record has no such field to clear", field)
		}
		delete(over, field)
	}
	return wire.ValueOf(record.Encoding(), over)
}

// keepSet keeps the label by which an apply knows a plan, unless the request has that
// label, or labels are null.
func keepSet(request map[string]any, plan wire.Value) (kept bool) {
	set, has := plan.Field("labels").Field(manifest.Label).Text()
	labels, given := request["labels"]
	own, is := labels.(map[string]any)
	if !has || given && !is {
		return false
	}
	if _, named := own[manifest.Label]; named {
		return false
	}
	with := map[string]any{manifest.Label: set}
	maps.Copy(with, own)
	request["labels"] = with
	return true
}
