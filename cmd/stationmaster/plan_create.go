package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPlanCreate(a *asker) *cobra.Command {
	fields := planFields()
	var wait, dry bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "create [-f FILE] [flags]",
		Short: "Create a plan",
		Long: `Create a plan from flags, or from a file with a JSON or MessagePack map ("-" is
stdin), or from a file with flags to change its fields. It is stored when the
command has ended, in the encoding of the file. With --wait the command ends when
the first occurrence has, with exit code 0 if that was ok and 1 if it was not; Ctrl-C
and --wait-limit end the wait alone, with exit code 1, and the plan goes on. With
--json it prints one object, whose run is that of the occurrence, if it has ended.

Flags such as --max-error-count change one member of the station's retry policy; with
--retry the plan's own policy is that of the flags. With --on-conflict update all
of the plan that exists is replaced, but for the label of the set that apply keeps it in,
and a warning names the fields that it loses; plan update changes single fields.`,
		Example: `  stationmaster plan create --station hello --command greet                     # now, once
  stationmaster plan create --station hello --command greet --type second --value 5 --repet 10
  stationmaster plan create --station hello --command greet --type cron --cron '0 9 * * mon-fri' --timezone Europe/Berlin
  stationmaster plan create --station hello --command greet --retry none --wait --wait-limit 10m
  echo '{"station":"hello","command":"greet","plan_type":"none"}' | stationmaster plan create -f -`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := planOf(cmd, fields)
			if err != nil {
				return err
			}
			if err := refuseGone(plan); err != nil {
				return err
			}
			if err := refuseAtOnce(plan); err != nil {
				return err
			}
			// A file may be older than its use, and a script that creates with keep is run
			// again after that time.
			if keeps, _ := plan.Field("on_conflict").Text(); fields.flags.Changed("time") && keeps != string(schema.ConflictKeep) {
				if err := refusePassed(cmd, plan, time.Now()); err != nil {
					return err
				}
			}
			switch {
			case limit < 0:
				return usagef("--wait-limit %v is no time to wait: give one above 0, or 0 for no limit", limit)
			case limit > 0 && !wait:
				return usagef("--wait-limit limits --wait; give that, too")
			case wait && dry:
				return usagef("--wait waits for a run, and --dry-run makes none; give one of them")
			}
			if plan, err = a.overStation(cmd, fields, plan); err != nil {
				return err
			}
			return a.do(cmd, plan.Encoding(), func(ctx context.Context, c *client.Client) error {
				if dry {
					return a.foreseeCreate(ctx, cmd, c, plan)
				}
				if wait {
					return a.createAndWait(ctx, cmd, c, plan, limit)
				}
				created, err := a.create(ctx, cmd, c, plan)
				if err != nil {
					return err
				}
				if err := a.answer(cmd, created, createdLine(outcomeOf(plan, created), created)); err != nil {
					return err
				}
				a.noteNoWorker(ctx, cmd, c, schema.PlanName{Station: created.Station, PlanID: created.PlanID}, created.State)
				return nil
			})
		},
	}
	fields.add(cmd)
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the first occurrence has ended, and show its run")
	durationVar(cmd.Flags(), &limit, "wait-limit", 0, "how long to wait at most; the plan goes on (default: for ever)")
	dryRunVar(cmd.Flags(), &dry)
	return cmd
}

// foreseeCreate prints the changes that a creation would make.
func (a *asker) foreseeCreate(ctx context.Context, cmd *cobra.Command, c *client.Client, plan wire.Value) error {
	request, err := asDryRun(plan)
	if err != nil {
		return err
	}
	var dry schema.DryRun
	if err := c.Do(ctx, "plans", "create", request, &dry); err != nil {
		return err
	}
	if len(dry.After) > 0 && !a.json {
		explainFirst(cmd.ErrOrStderr(), plan, dry.After[0])
	}
	a.warnIdle(cmd, dry.Station, plan)
	return a.answerDry(cmd, &dry)
}

// create creates a plan and explains the outcome. It sends the plan as it was written, so
// that a field that this release does not know reaches a scheduler that does.
func (a *asker) create(ctx context.Context, cmd *cobra.Command, c *client.Client, plan wire.Value) (*schema.Created, error) {
	var created schema.Created
	if err := c.Do(ctx, "plans", "create", plan, &created); err != nil {
		return nil, err
	}
	warnOfDropped(cmd, created.Dropped)
	explainFirst(cmd.ErrOrStderr(), plan, created.PlanTime)
	explainSkipped(cmd.ErrOrStderr(), &created)
	explainPaused(cmd.ErrOrStderr(), plan, &created)
	explainLast(ctx, cmd, c, plan, &created)
	a.warnIdle(cmd, created.Station, plan)
	return &created, nil
}

// refuseGone refuses a plan that would be gone as soon as it is made, because an occurrence
// that is due while a plan is paused is skipped, and one of type none is due at once.
func refuseGone(plan wire.Value) error {
	paused, _ := plan.Field("paused").Bool()
	if kind, given := plan.Field("plan_type").Text(); !paused || given && kind != string(schema.TypeNone) {
		return nil
	}
	return usagef("a plan of type none is due at once, and an occurrence that is due while it is paused is skipped: it would be gone. " +
		"Create it when it is to run, or give it --type time and a --time by which it has been resumed")
}

// explainFirst explains when a plan of a grid is due first, where that is not the given
// time.
func explainFirst(out io.Writer, plan wire.Value, first time.Time) {
	var p schema.Plan
	if err := wire.DecodeLoose(plan, &p); err != nil || p.PlanTime.IsZero() || first.IsZero() || first.Equal(p.PlanTime) {
		return
	}
	switch p.PlanType {
	case schema.TypeSecond, schema.TypeMinute, schema.TypeHour, schema.TypeDay:
		fmt.Fprintf(out, "note: the first time is %s, not --time, because a plan of type %s counts its --value of %ss from there\n", when(first), p.PlanType, p.PlanType)
	case schema.TypeWeek, schema.TypeMonth:
		clock := cmp.Or(p.Timezone, "UTC")
		fmt.Fprintf(out, "note: the first time is %s: of --time a plan of type %s takes the time of day, not the date (--start-at gives a date), by the clock of %s (--timezone)\n", when(first), p.PlanType, clock)
	}
}

// explainLast explains that a paused plan with few times may end without a run.
func explainLast(ctx context.Context, cmd *cobra.Command, c *client.Client, plan wire.Value, created *schema.Created) {
	var p schema.Plan
	if err := wire.DecodeLoose(plan, &p); err != nil || !p.Paused || created.State != schema.StatusPaused {
		return
	}
	last := created.PlanTime
	if p.PlanType != schema.TypeTime {
		if p.Ends() == 0 {
			return
		}
		const most = 1000
		times, err := c.Plans().Preview(ctx, p, time.Time{}, most)
		if err != nil || len(times) == 0 || len(times) == most {
			return
		}
		last = times[len(times)-1].PlanTime
	}
	cmd.PrintErrf("note: its last occurrence is due %s; if it is paused still, that is skipped, and the plan ends\n", when(last))
}

// explainPaused explains that an existing plan goes on.
func explainPaused(out io.Writer, plan wire.Value, c *schema.Created) {
	if paused, _ := plan.Field("paused").Bool(); paused && !c.Created && c.State != schema.StatusPaused {
		name := schema.PlanName{Station: c.Station, PlanID: c.PlanID}
		fmt.Fprintf(out, "warning: %s was there already and is not paused by this: say stationmaster plan pause %[1]s\n", name)
	}
}

// outcomeOf describes the outcome for a plan that was sent.
func outcomeOf(plan wire.Value, c *schema.Created) string {
	switch conflict, _ := plan.Field("on_conflict").Text(); {
	case c.Created:
		return "created"
	case conflict == string(schema.ConflictUpdate):
		return "updated"
	default:
		return "exists"
	}
}

// createdLine describes a create, and its outcome.
func createdLine(done string, c *schema.Created) string {
	name := schema.PlanName{Station: c.Station, PlanID: c.PlanID}.String()
	line := done + " " + name + ", " + string(c.State)
	if c.State == schema.StatusExecuting && c.Created {
		line += " (no worker has answered)" // this soon
	}
	if c.Reason != "" {
		line += " (" + string(c.Reason) + ")"
	}
	if !c.PlanTime.IsZero() {
		line += ", due " + when(c.PlanTime)
	}
	return line
}

// planFields are the flags that make a plan, one for each field that fits a line. The other
// fields need a file.
func planFields() *fields {
	f := newFields()
	fs := f.flags
	fs.String("station", "", "where it runs")
	fs.String("command", "", "the command that runs there")
	fs.StringArray("message", nil, "a `frame` for the worker, JSON or else text, which begins with neither {, [ nor \"; repeat it for more")
	fs.String("type", "", "none, time, second, minute, hour, day, week, month or cron")
	fs.Int64("value", 0, "units between occurrences; day of the week or of the month")
	fs.Int64("repet", 0, "how many occurrences; -1 for ever")
	fs.Var(new(timeText), "time", "`time` of type time, and from which second, minute, hour and day count: the first one is a unit later; of week and month the time of day. RFC 3339, Unix seconds, or a span from now such as 90s")
	fs.String("cron", "", "cron `expression` of five or six fields, or @daily and the like")
	fs.String("timezone", "", "IANA name, for cron, week and month, and the days of calendars")
	fs.String("clock-gap", "", "for cron, week and month, a local time that does not exist as the clocks go forward: after (the default), before, shift or skip")
	fs.String("clock-overlap", "", "for cron, week and month, a local time that exists twice as the clocks go back: first (the default), second or both")
	fs.Var(new(listValue), "exclude", "a `calendar` whose times are excluded (stationmaster calendar); repeat it for more, or give them with commas")
	fs.Var(new(listValue), "only", "a `calendar` outside of which all times are excluded; repeat it for more, or give them with commas")
	fs.String("excluded", "", "excluded occurrences: skip (the default), or move to the next or previous day that no calendar excludes")
	fs.Var(new(timeText), "start-at", "`time` before which occurrences do not count")
	fs.Var(new(timeText), "end-at", "`time` after which occurrences do not count")
	secondsVar(fs, nil, "jitter", "delay each occurrence by up to so long")
	fs.Bool("no-keep", false, "run late occurrences, too, one after the other")
	fs.String("overlap", "", "when the one before still runs: skip, queue, cancel_prev, parallel or allow")
	fs.String("catch-up", "", "occurrences that fell due while no scheduler ran: none, compact or full")
	fs.String("on-unknown", "", "when it is unknown whether it ran: redo, skip or hold")
	retryFlags(fs, "")
	fs.Var(new(listValue), "worker-id", "a `worker` that may have it; repeat it for more, the first that is there gets it")
	secondsVar(fs, nil, "exec-timeout", "how long a worker may be silent before the execution is given up; work and our library say by themselves that they are at it")
	secondsVar(fs, nil, "start-timeout", "how long until a worker must have answered")
	fs.String("failure", "", "when the one before has failed: run_new, skip or retry")
	fs.Int64("max-concurrency", 0, "how many of its executions may be under way at once")
	fs.String("concurrency", "", "when as many are: queue, skip or parallel")
	fs.String("on-failure", "", "when a plan of one occurrence has failed: halt or settle")
	fs.Int64("priority", 0, "0 to 9, at a station of kind pull: 9 is fetched first (default 5)")
	fs.Int64("worker-count", 0, "at a station of kind pull: how many different workers are to execute it (1)")
	fs.String("log", "", "the log for its owner: none, trigger or full")
	fs.String("ext", "", "a `JSON` value that its worker gets")
	fs.String("id", "", "plan id (default: made up)")
	fs.Bool("paused", false, "skip occurrences until it is resumed")
	fs.String("on-conflict", "", "when the id exists: error, keep or update")
	fs.String("description", "", "its purpose")
	fs.String("caller", "", "handed to the worker and back")
	fs.String("request-id", "", "handed back in results")
	fs.String("tenant-id", "", "the user's own; filters lists")
	fs.String("category", "", "the user's own; filters lists")
	fs.Var(new(labelsValue), "label", "`key=value`, the user's own; filters lists; repeat it for more, or a=1,b=2 where no value has a comma, = or a quote")
	return f
}

// retryFlags are the flags of retries; whose begins the description of the first.
func retryFlags(fs *pflag.FlagSet, whose string) {
	fs.String("retry", "", whose+"after an error: none, fixed_period, sequence or exponential (the default: after 1 s, doubling up to a minute, without a limit)")
	secondsVar(fs, nil, "retry-interval", "how long before each retry, or before the first exponential one")
	secondsVar(fs, nil, "retry-max-interval", "how long an exponential retry waits at most")
	fs.Var(new(secondsList), "retry-sequence", "how long before each retry, with commas; the last one repeats")
	fs.Int64("max-error-count", 0, "how many retries follow before it is a failure; 0: none")
	fs.Bool("need-manual", false, "when retries are used up, wait for a person")
}

// planOf is the plan that a file and flags make together.
func planOf(cmd *cobra.Command, f *fields) (wire.Value, error) {
	plan, err := f.read(cmd)
	if err == nil && plan.Len() == 0 {
		least := "--station and --command"
		if cmd.Name() == "preview" {
			least = "--type, with what it takes, such as --cron"
		}
		err = usagef("give at least %s, or -f FILE", least)
	}
	if err := errors.Join(err, refuseIdle(f.flags), refuseUnfit(f.flags)); err != nil {
		return plan, err
	}
	return f.inZone(cmd, plan)
}

// refuseIdle refuses flags without an effect beside the given --type. The scheduler judges
// a file's fields.
func refuseIdle(fs *pflag.FlagSet) error {
	given := func(flag string) string {
		if f := fs.Lookup(flag); f.Changed {
			return f.Value.String()
		}
		return ""
	}
	kind, once := schema.PlanType(given("type")), ""
	const repeat = "--type second, minute, hour, day, week, month and cron repeat"
	switch kind {
	case schema.TypeNone:
		once = "runs at once, and once"
	case schema.TypeTime:
		once = "runs once, at --time"
	}
	repet, cron := given("repet"), given("cron")
	switch {
	case kind == schema.TypeNone && given("time") != "":
		return usagef("--time: a plan of type none runs at once; --type time runs once, at --time")
	case once != "" && repet != "" && repet != "1":
		return usagef("--repet: a plan of type %s %s; %s", kind, once, repeat)
	case once != "" && given("value") != "":
		return usagef("--value: a plan of type %s %s; %s", kind, once, repeat)
	case kind == schema.TypeCron && given("value") != "":
		return usagef("--value: a plan of type cron runs at the times of --cron; --type second, minute, hour, day, week and month count by --value")
	case kind == schema.TypeCron && given("time") != "" && cron != "" && !strings.HasPrefix(strings.TrimSpace(cron), "@every"):
		return usagef("--time: a plan of type cron runs at the times of --cron, of which only @every counts from --time; --start-at sets the time from which it does")
	}
	return nil
}
