package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newPeriodic() *cobra.Command {
	var a asker
	cmd := group("periodic", "Have services called by the clock",
		newPeriodicPut(&a), newPeriodicGet(&a), newPeriodicList(&a),
		newPeriodicTurn(&a, "online", "Trigger a task at its times", client.Periodic.Online),
		newPeriodicTurn(&a, "offline", "Trigger a task no more", client.Periodic.Offline),
		newPeriodicRemove(&a), newPeriodicLogs(&a))
	cmd.Long = `A periodic task is triggered at the times of a cron expression: an execution goes to
the station that its type names. It begins when the task is put online.`
	a.flags(cmd)
	a.asksIn(cmd, "put", "online", "offline", "rm")
	return cmd
}

func newPeriodicPut(a *asker) *cobra.Command {
	var q schema.PeriodicPut
	var ext string
	cmd := &cobra.Command{
		Use:   "put ID --type STATION --cron EXPRESSION [flags]",
		Short: "Make a task, or replace one",
		Long: `Make a task, or replace the one that has this id: omitted fields are as in a new task.
Its status is kept, and what plan update gave its plan, unless another type moves it to
that station. A warning names the fields that it had before and has no more.`,
		Example: `  stationmaster periodic put nightly --type bills --cron '0 3 * * *' --timezone Europe/Berlin --log trans_log
  stationmaster periodic online nightly`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.ID = args[0]
			if ext != "" {
				var err error
				if q.Ext, err = jsonArgument("--ext", ext); err != nil {
					return err
				}
			}
			if !cmd.Flags().Changed("log") {
				q.Log = "" // omitted, as in a file, because an explicit none counts
			}
			request, err := wire.ValueOf(wire.JSON, &q)
			if err != nil {
				return err
			}
			was := a.replacing(cmd, "periodic_tasks", &schema.PeriodicName{ID: q.ID})
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				put, err := c.Periodic().Put(ctx, q)
				if err != nil {
					return err
				}
				warnOfMoved(cmd, was, &q)
				lost := lostFields(cmd, "", without(was, "status", "create_date", "update_date"), request)
				warnOf(cmd, append(lost, ofPlan(put.Dropped)...))
				a.warn(cmd, put.Warning)
				return a.answer(cmd, put, fmt.Sprintf("put %s, %s", put.ID, put.Status))
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Type, "type", "", "the station that is triggered")
	fs.StringVar(&q.CronExpressions, "cron", "", "when, such as '*/5 * * * *'")
	setsField(fs.Lookup("cron"), "cron_expressions")
	fs.StringVar(&q.Timezone, "timezone", "", "the zone of those times (UTC)")
	complete(cmd, "timezone", completeZone)
	listVar(fs, &q.Exclude, "exclude", "a `calendar` whose times are excluded (stationmaster calendar); repeat it for more")
	listVar(fs, &q.Only, "only", "a `calendar` outside of which all times are excluded; repeat it for more")
	fs.StringVar((*string)(&q.Excluded), "excluded", "", "excluded times: skip (the default), or move to the next or previous day that no calendar excludes")
	offer(cmd, "excluded", "excluded")
	fs.StringVar((*string)(&q.Log), "log", "none", "none; trigger_log: its triggers; trans_log: their outcomes, too")
	fs.StringVar(&q.TenantID, "tenant-id", "", "whose it is")
	fs.StringVar(&q.Creator, "creator", "", "the creator")
	fs.StringVar(&q.Category, "category", "", "a category to list it by")
	fs.StringVar(&ext, "ext", "", "a JSON value that its worker gets")
	return cmd
}

// ofPlan are the dropped fields that plan update had set on the plan of a task.
func ofPlan(dropped []string) (lost []string) {
	for _, field := range dropped {
		if name, is := strings.CutPrefix(field, "plan."); is {
			lost = append(lost, name+" of its plan")
		}
	}
	return lost
}

// warnOfMoved warns that an existing task is triggered at another station from now on.
func warnOfMoved(cmd *cobra.Command, was wire.Value, q *schema.PeriodicPut) {
	if from, there := was.Field("type").Text(); there && from != q.Type {
		cmd.PrintErrln(fmt.Sprintf("warning: %s moved from %s to %s", q.ID, from, q.Type))
	}
}

// warn prints the warnings of an answer to people; in JSON they are a member of the answer.
func (a *asker) warn(cmd *cobra.Command, warning string) {
	if warning != "" && !a.json {
		cmd.PrintErrln("warning: " + warning)
	}
}

func newPeriodicGet(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "get ID",
		Short: "Show a task",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				task, err := c.Periodic().Get(ctx, args[0])
				if err != nil {
					return err
				}
				return a.show(cmd, task)
			})
		},
	}
}

func newPeriodicList(a *asker) *cobra.Command {
	var q schema.ListPeriodic
	var limit int
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List tasks, by type, then id",
		Args:  takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				tasks := first(limit, c.Periodic().All(ctx, q))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "periodic_tasks", tasks)
				}
				return printTable(cmd, []string{"ID", "TYPE", "STATUS", "CRON", "TIMEZONE", "LOG", "TENANT", "CATEGORY"}, tasks,
					func(t *schema.PeriodicTask) []string {
						return []string{
							t.ID, t.Type, string(t.Status), t.CronExpressions, orDash(t.Timezone),
							string(t.Log), orDash(t.TenantID), orDash(t.Category),
						}
					})
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Type, "type", "", "those of this type")
	fs.StringVar((*string)(&q.Status), "status", "", "those that are new, online or offline")
	fs.StringVar(&q.TenantID, "tenant-id", "", "those of this tenant")
	fs.StringVar(&q.Category, "category", "", "those of this category")
	fs.StringVar(&q.Creator, "creator", "", "those of this creator")
	limitVar(fs, &limit, 100)
	return cmd
}

func newPeriodicTurn(a *asker, verb, short string, turn func(client.Periodic, context.Context, string) (*schema.PeriodicStanding, error)) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " ID",
		Short: short,
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				standing, err := turn(c.Periodic(), ctx, args[0])
				if err != nil {
					return err
				}
				a.warn(cmd, standing.Warning)
				return a.answer(cmd, standing, fmt.Sprintf("%s is %s", standing.ID, standing.Status))
			})
		},
	}
}

func newPeriodicRemove(a *asker) *cobra.Command {
	return &cobra.Command{
		Use:   "rm ID",
		Short: "Delete a task; executions under way are cancelled",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				deleted, err := c.Periodic().Delete(ctx, args[0])
				if err != nil {
					return err
				}
				return a.answer(cmd, deleted, "removed "+args[0])
			})
		},
	}
}

func newPeriodicLogs(a *asker) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "logs ID",
		Short: "List the log of a task, the newest first",
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				logs := first(limit, c.Periodic().Logs(ctx, schema.ListPeriodicLogs{ID: args[0]}))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "logs", logs)
				}
				return printTable(cmd, []string{"TRIGGERED", "RESULT", "UPDATED", "ERROR"}, logs,
					func(l *schema.PeriodicLog) []string {
						return []string{when(l.CreateDate), string(l.Result), when(l.UpdateDate), orDash(l.ErrorInfo)}
					})
			})
		},
	}
	limitVar(cmd.Flags(), &limit, 20)
	return cmd
}
