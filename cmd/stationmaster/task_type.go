package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newTaskType(a *asker) *cobra.Command {
	cmd := group("type", "Say how tasks of a type are carried out",
		newTaskTypePut(a), newTaskTypeGet(a), newTaskTypeList(a), newTaskTypeRemove(a))
	a.asksIn(cmd, "put", "rm")
	return cmd
}

// typeFlags are the flags that make a task type.
type typeFlags struct {
	t         schema.TaskType
	interval  float64
	sequence  secondsList
	maxErrors int64
	timeout   float64
	manual    bool
	file      string
}

func newTaskTypePut(a *asker) *cobra.Command {
	var f typeFlags
	cmd := &cobra.Command{
		Use:   "put CODE [flags] | put -f FILE",
		Short: "Make a task type, or replace one",
		Example: `  stationmaster task type put transcode --retry sequence --retry-sequence 1s,10s,1m --max-error-count 5 --timeout 30m
  stationmaster task type put invoice --retry fixed_period --retry-interval 30s --max-error-count 3 --need-manual
  stationmaster task type put -f invoice.json    # with callbacks, as task_types.put takes it`,
		Args: takesUpTo(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := f.request(cmd, args)
			if err != nil {
				return err
			}
			was := a.replacing(cmd, "task_types", map[string]any{"code": request.Field("code")})
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				var put schema.TaskTypePut
				if err := c.Do(ctx, "task_types", "put", request, &put); err != nil {
					return err
				}
				warnOfLost(cmd, was, request)
				done := "replaced "
				if put.Created {
					done = "put "
				}
				return a.answer(cmd, &put, done+put.Code)
			})
		},
	}
	f.add(cmd)
	return cmd
}

func (f *typeFlags) add(cmd *cobra.Command) {
	fs, k := cmd.Flags(), &f.t.Config
	fs.SetNormalizeFunc(olderNames)
	fs.StringVarP(&f.file, "file", "f", "", "read the record from a `file`, JSON or MessagePack; - is stdin")
	fs.StringVar(&f.t.Name, "name", "", "its name for people")
	fs.StringVar(&f.t.Category, "category", "", "the category of its tasks that have none")
	fs.StringVar((*string)(&k.Kind), "kind", "", "pull: agents fetch; api: agents subscribe (pull)")
	fs.StringVar((*string)(&k.RetryStrategy), "retry", "", "none, fixed_period, sequence or exponential (none)")
	offer(cmd, "retry", "retry.strategy")
	secondsVar(fs, &f.interval, "retry-interval", "how long between tries")
	fs.Var(&f.sequence, "retry-sequence", "how long before each retry, with commas; the last one repeats")
	fs.Int64Var(&f.maxErrors, "max-error-count", 0, "how many errors are followed by a retry (all)")
	secondsVar(fs, &f.timeout, "timeout", "how long an execution may take; 0: for ever (the installation's). timeout of task_types.put is in minutes; how long to wait for the server is --request-timeout")
	fs.BoolVar(&f.manual, "need-manual", false, "pending, for a person, when retries are used up")
	for name, field := range map[string]string{
		"kind": "kind", "retry": "retry_strategy", "retry-interval": "retry_interval", "retry-sequence": "retry_sequence",
		"max-error-count": "max_error_count", "timeout": "timeout_seconds", "need-manual": "need_manual",
	} {
		setsField(fs.Lookup(name), "config."+field)
	}
}

// olderNames gives the flags of retries their former names here, from before they were
// those of plans.
func olderNames(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "interval", "sequence":
		name = "retry-" + name
	case "max-errors":
		name = "max-error-count"
	case "exec-timeout": // as plans call it
		name = "timeout"
	}
	return pflag.NormalizedName(name)
}

// request is the type that the file, or the flags, make.
func (f *typeFlags) request(cmd *cobra.Command, args []string) (wire.Value, error) {
	alone := true
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) { alone = alone && (!flag.Changed || flag.Name == "file") })
	switch {
	case f.file != "" && len(args) == 0 && alone:
		return readMap(cmd, f.file)
	case f.file != "" && len(args) == 0:
		return wire.Value{}, usagef("the file is the whole type: give no other flags with it")
	case f.file != "" || len(args) == 0:
		return wire.Value{}, usagef("name the type, or give a file that does")
	}
	f.t.Code = args[0]
	k, given := &f.t.Config, cmd.Flags().Changed
	if given("retry-interval") {
		k.RetryInterval = (*schema.Seconds)(&f.interval)
	}
	k.RetrySequence = f.sequence
	if given("max-error-count") {
		k.MaxErrorCount = &f.maxErrors
	}
	if given("timeout") {
		k.TimeoutSeconds = (*schema.Seconds)(&f.timeout)
	}
	if f.manual {
		k.NeedManual = &f.manual
	}
	return wire.ValueOf(wire.JSON, &f.t)
}

func newTaskTypeGet(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "get CODE",
		Short: "Show a task type",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				t, err := c.TaskTypes().Get(ctx, args[0])
				if err != nil {
					return err
				}
				if t.Config.Timeout != nil && !a.json {
					cmd.PrintErrln("note: timeout is in minutes, timeout_seconds in seconds; timeout_seconds wins")
				}
				return printJSON(cmd.OutOrStdout(), t)
			})
		},
	}
}

func newTaskTypeList(a *asker) *cobra.Command {
	var q schema.ListTaskTypes
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List task types",
		Args:  takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				types := c.TaskTypes().All(ctx, q)
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "task_types", types)
				}
				return printTable(cmd, []string{"CODE", "NAME", "CATEGORY", "RETRY", "TIMEOUT"}, types,
					func(t *schema.TaskType) []string {
						return []string{t.Code, orDash(t.Name), orDash(t.Category), orDash(t.Config.RetryStrategy), timeoutOf(&t.Config)}
					})
			})
		},
	}
	cmd.Flags().StringVar(&q.Category, "category", "", "those of this category")
	return cmd
}

// timeoutOf returns the time that an execution may take, with its unit, because the type's own
// field may be in minutes or in seconds; -: the installation's default.
func timeoutOf(k *schema.TaskConfig) string {
	var seconds float64
	switch {
	case k.TimeoutSeconds != nil:
		seconds = float64(*k.TimeoutSeconds)
	case k.Timeout != nil:
		seconds = *k.Timeout * 60
	default:
		return "-"
	}
	if seconds == 0 {
		return "none"
	}
	return strconv.FormatFloat(seconds, 'f', -1, 64) + "s"
}

func newTaskTypeRemove(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "rm CODE",
		Short: "Delete a task type that has no tasks left",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				deleted, err := c.TaskTypes().Delete(ctx, args[0])
				if err != nil {
					return err
				}
				return a.answer(cmd, deleted, "removed "+args[0])
			})
		},
	}
}
