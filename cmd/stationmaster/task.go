package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/bulk"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func newTask() *cobra.Command {
	var a asker
	cmd := group("task", "Submit, look at and see to asynchronous tasks",
		newTaskSubmit(&a), newTaskGet(&a), newTaskList(&a),
		newTaskFetch(&a), newTaskReport(&a),
		newTaskEnd(&a, "cancel", "End a task; its executing agent is asked to stop", client.Task.Cancel),
		newTaskEnd(&a, "process", "End a pending task that a person has seen to", client.Task.Process),
		newTaskRetry(&a), newTaskType(&a))
	cmd.Long = `A task is done once, by an agent that fetches it or subscribes, with the retries of its
type; one that no agent gets done can wait for a person.`
	a.flags(cmd)
	a.asksIn(cmd, "submit", "cancel", "process", "retry", "report")
	return cmd
}

func newTaskSubmit(a *asker) *cobra.Command {
	var q schema.TaskSubmit
	var at, ext string
	var priority int64
	cmd := &cobra.Command{
		Use:   "submit TYPE [flags]",
		Short: "Submit a task",
		Example: `  stationmaster task submit transcode --ext '{"file":"a.mov"}'
  stationmaster task submit transcode --id 4711 --on-conflict keep --at 10m --priority 9`,
		Args: takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Type = args[0]
			var err error
			if ext != "" {
				if q.Ext, err = jsonArgument("--ext", ext); err != nil {
					return err
				}
			}
			if q.StartTime, err = momentArgument(at); err != nil {
				return err
			}
			if cmd.Flags().Changed("priority") {
				q.Priority = &priority
			}
			was := a.replacingTask(cmd, &q)
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				done, err := c.Tasks().Submit(ctx, q)
				if err != nil {
					return err
				}
				if err := warnOfLostInTask(cmd, was, &q); err != nil {
					return err
				}
				if q.WorkerCount > 1 { // the only field of a task whose effect depends on the kind
					asked, err := wire.ValueOf(wire.JSON, map[string]any{"worker_count": q.WorkerCount})
					if err != nil {
						return err
					}
					a.warnIdle(cmd, q.Type, asked)
				}
				return a.answer(cmd, done, fmt.Sprintf("submitted %s/%s, %s", done.Type, done.ID, done.Status))
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.ID, "id", "", "the task's id (made)")
	fs.StringVar(&ext, "ext", "", "a JSON value that its agent gets")
	timeVar(fs, &at, "at", "when it may be executed first: a time, or a span from now such as 10m (now)")
	setsField(fs.Lookup("at"), "start_time")
	fs.StringVar(&q.TenantID, "tenant-id", "", "whose it is")
	fs.StringVar(&q.Creator, "creator", "", "the submitter (0)")
	fs.StringVar(&q.Category, "category", "", "a category to fetch and list it by (that of its type)")
	fs.Int64Var(&priority, "priority", 5, "0 to 9, 9 first")
	listVar(fs, &q.WorkerIDs, "worker-id", "an agent that may have it; more than one, several times (any)")
	setsField(fs.Lookup("worker-id"), "worker_ids")
	fs.Var(countValue{&q.WorkerCount, schema.MaxWorkerCount}, "worker-count", "of a type of kind pull: how many different agents are to execute it (1)")
	fs.StringVar((*string)(&q.OnConflict), "on-conflict", "", "when the id exists: error, keep, or update, which replaces the whole task (error)")
	offer(cmd, "on-conflict", "on_conflict")
	return cmd
}

// replacingTask is the task, as it was submitted, that q will replace, without the category of its type;
// zero: there is none, or it cannot be read.
func (a *asker) replacingTask(cmd *cobra.Command, q *schema.TaskSubmit) (was wire.Value) {
	if q.OnConflict != schema.ConflictUpdate || q.ID == "" {
		return was
	}
	plan := a.replacing(cmd, "plans", &schema.PlanName{Station: q.Type, PlanID: q.ID}).Field("plan")
	for _, was = range plan.Field("messages").List() {
		break
	}
	ofType, _ := a.replacing(cmd, "task_types", &schema.TaskTypeName{Code: q.Type}).Field("category").Text()
	if own, _ := was.Field("category").Text(); own == ofType {
		was = without(was, "category")
	}
	return was
}

// warnOfLostInTask warns of fields that a task had and its replacement does not. A start time that has
// passed is none.
func warnOfLostInTask(cmd *cobra.Command, was wire.Value, q *schema.TaskSubmit) error {
	request, err := wire.ValueOf(wire.JSON, q)
	if err != nil {
		return err
	}
	left := []string{"id", "type"}
	if start, is := was.Field("start_time").Time(); is && start.Before(time.Now()) {
		left = append(left, "start_time")
	}
	warnReplaced(cmd, "the whole task is replaced", lostFields(cmd, "", without(was, left...), request))
	return nil
}

func newTaskGet(a *asker) *cobra.Command {
	return a.onTask("get", "Show a task, living or finished", func(ctx context.Context, c *client.Client, cmd *cobra.Command, name schema.TaskName) error {
		t, err := c.Task(name.Type, name.ID).Get(ctx)
		if err != nil {
			return err
		}
		return a.show(cmd, t)
	})
}

// onTask is a command about one task.
func (a *asker) onTask(verb, short string, do func(context.Context, *client.Client, *cobra.Command, schema.TaskName) error) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " TYPE/ID",
		Short: short,
		Args:  takes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := taskArgument(args[0])
			if err != nil {
				return err
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error { return do(ctx, c, cmd, name) })
		},
	}
}

// standingOf prints the standing of a task after a change.
func (a *asker) standingOf(cmd *cobra.Command, name schema.TaskName, now *schema.TaskStanding, err error) error {
	if err != nil {
		return err
	}
	return a.answer(cmd, now, fmt.Sprintf("%s/%s is %s", name.Type, name.ID, now.Status))
}

// taskArgument reads TYPE/ID.
func taskArgument(arg string) (schema.TaskName, error) {
	name, err := nameArgument(arg, "task as TYPE/ID")
	return schema.TaskName{Type: name.Station, ID: name.PlanID}, err
}

func newTaskList(a *asker) *cobra.Command {
	var q schema.ListTasks
	var statuses []string
	var limit int
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List tasks that are not finished, by type, then id; or those that are",
		Args:  takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Status = nil
			for _, s := range statuses {
				status := inTheirCase(s, schema.TaskStatuses())
				if err := refuseElsewhere(status, q.History); err != nil {
					return err
				}
				q.Status = append(q.Status, string(status))
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				tasks := first(limit, c.Tasks().All(ctx, q))
				if a.json {
					return printJSONList(cmd.OutOrStdout(), "tasks", tasks)
				}
				return printTable(cmd, []string{"TASK", "STATUS", "ERRORS", "UPDATED", "TENANT", "CATEGORY", "ERROR"}, tasks, taskRow)
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.Type, "type", "", "those of this type")
	listVar(fs, &statuses, "status", "those that are New, Executing, Error, Pending, Failure or Completed; with --history Success, Failure, Cancelled or ManuallyProcessed")
	fs.StringVar(&q.TenantID, "tenant-id", "", "those of this tenant")
	fs.StringVar(&q.Category, "category", "", "those of this category")
	fs.StringVar(&q.Creator, "creator", "", "those of this creator")
	fs.BoolVar(&q.History, "history", false, "those that are finished")
	fs.StringVar(&q.Order, "order", "", "status: those that wait for a person first, then those in Error, Failure, Executing, New, Completed (by type, then id)")
	limitVar(fs, &limit, 100)
	return cmd
}

// refuseElsewhere refuses a status that no listed task can have, because an empty list
// would be taken for the outcome of the tasks.
func refuseElsewhere(status schema.TaskStatus, history bool) error {
	switch status {
	case schema.TaskSuccess, schema.TaskManuallyProcessed, schema.TaskCancelled:
		if !history {
			return usagef("--status %s: tasks that are finished have it; say --history, too", status)
		}
	case schema.TaskNew, schema.TaskExecuting, schema.TaskError, schema.TaskPending:
		if history {
			return usagef("--status %s: only tasks that are not finished have it; leave out --history", status)
		}
	}
	return nil
}

func taskRow(t *schema.Task) []string {
	return []string{
		t.Type + "/" + t.ID, string(t.Status), strconv.FormatInt(t.ErrorCount, 10), when(t.UpdateDate),
		orDash(t.TenantID), orDash(t.Category), orDash(schema.HeaderText(t.ErrorInfo)),
	}
}

func newTaskFetch(a *asker) *cobra.Command {
	var q schema.TaskFetch
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "fetch --worker-id ID [flags]",
		Short: "Take tasks to execute",
		Example: `  stationmaster task fetch --worker-id me --type invoice --wait 30s
  stationmaster task report invoice/4711 3-9f86d081884c7d65 Completed --result '{"pages":2}'`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.WaitMS = wait.Milliseconds()
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				tasks, err := c.Tasks().Fetch(ctx, q)
				if err != nil {
					return err
				}
				if a.json {
					return printJSON(cmd.OutOrStdout(), schema.TaskPage{Tasks: tasks})
				}
				for i := range tasks {
					if err := a.show(cmd, &tasks[i]); err != nil {
						return err
					}
				}
				if len(tasks) == 0 {
					cmd.PrintErrln("note: there are none to execute" + a.whyNoTask(cmd, q.Types))
				}
				return nil
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&q.WorkerID, "worker-id", "", "the worker that takes them")
	setsField(fs.Lookup("worker-id"), "worker_id")
	listVar(fs, &q.Types, "type", "of this type; more than one, several times (all)")
	fs.StringVar(&q.TenantID, "tenant-id", "", "of this tenant")
	fs.StringVar(&q.Category, "category", "", "of this category")
	fs.StringVar(&q.Creator, "creator", "", "of this creator")
	q.Limit = 1
	fs.Var(countValue{&q.Limit, schema.MaxClaim}, "limit", "at most so many, 1 to 100")
	durationVar(fs, &wait, "wait", 0, "how long to wait for the first one")
	return cmd
}

func newTaskReport(a *asker) *cobra.Command {
	var q schema.TaskReport
	var result string
	cmd := &cobra.Command{
		Use:   "report TYPE/ID EXEC-ID STATUS",
		Short: "Report the outcome of an execution: Completed, Success, Error, Failure; or Executing",
		Long: `Report the outcome of an execution: Completed, Success, Error or Failure; or Executing, that
it goes on. Success is Completed, but no callback is sent. A report of an execution that is not under way any more changes nothing,
prints the task's status, and ends with exit code 1 (4 with --detailed-exit-code).`,
		Args: takes(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := taskArgument(args[0])
			if err != nil {
				return err
			}
			q.Type, q.ID, q.ExecID = name.Type, name.ID, args[1]
			q.Status = inTheirCase(args[2], schema.TaskStatuses())
			if result != "" {
				if q.Result, err = jsonArgument("--result", result); err != nil {
					return err
				}
			}
			return a.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
				done, err := c.Tasks().Report(ctx, q)
				if err != nil {
					return err
				}
				return a.reported(cmd, &q, done)
			})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&result, "result", "", "a JSON value")
	fs.StringVar(&q.ErrorInfo, "error-info", "", "why it failed")
	fs.StringVar(&q.WorkerID, "worker-id", "", "the worker that reports it")
	setsField(fs.Lookup("worker-id"), "worker_id")
	return cmd
}

// reported prints the outcome of a report. A refused one is an error, because a script goes
// by the exit code; programs get the answer all the same.
func (a *asker) reported(cmd *cobra.Command, q *schema.TaskReport, done *schema.TaskReported) error {
	if done.Accepted {
		return a.answer(cmd, done, fmt.Sprintf("accepted: %s/%s is %s", q.Type, q.ID, done.Status))
	}
	if a.json {
		if err := printJSON(cmd.OutOrStdout(), done); err != nil {
			return err
		}
	}
	return &schema.Error{Code: schema.CodeConflict, Field: "exec_id", Message: fmt.Sprintf(
		"the report changed nothing: %s/%s is %s, and execution %s is not under way (it was reported before, its time was up, or the task was ended)",
		q.Type, q.ID, done.Status, q.ExecID)}
}

func newTaskEnd(a *asker, verb, short string, end func(client.Task, context.Context, string) (*schema.TaskStanding, error)) *cobra.Command {
	var remark string
	cmd := a.onTask(verb, short, func(ctx context.Context, c *client.Client, cmd *cobra.Command, name schema.TaskName) error {
		now, err := end(c.Task(name.Type, name.ID), ctx, remark)
		return a.standingOf(cmd, name, now, err)
	})
	cmd.Flags().StringVar(&remark, "remark", "", "a remark about it")
	return cmd
}

func newTaskRetry(a *asker) *cobra.Command {
	cmd := a.onTask("retry", "Have a task executed again that is pending or a failure", func(ctx context.Context, c *client.Client, cmd *cobra.Command, name schema.TaskName) error {
		now, err := c.Task(name.Type, name.ID).Retry(ctx)
		return a.standingOf(cmd, name, now, err)
	})
	cmd.Example = "  stationmaster task retry --where 'type=invoice,from=-12h,text=disk full'"
	return a.orMany(cmd, bulk.RetryTasks, "retried")
}
