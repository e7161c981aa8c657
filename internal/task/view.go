package task

import (
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// IsTask reports that a plan, or a result of one, is a task's; v is its definition, or the
// result.
func IsTask(v wire.Value) bool {
	command, _ := v.Field("command").Text()
	return command == schema.TaskCommand
}

// Status is the status of a living task; v has its trace.
func Status(v *command.PlanView) schema.TaskStatus {
	switch v.State.Status {
	case schema.StatusExecuting:
		return schema.TaskExecuting
	case schema.StatusPending:
		return schema.TaskPending
	case schema.StatusPlanError:
		return schema.TaskFailure
	}
	if v.Trace.Errors > 0 || v.Trace.Lost > 0 {
		return schema.TaskError // a lost agent is not counted by the type's retries
	}
	return schema.TaskNew
}

// PlanStatuses are those of the plans among which tasks of such statuses are found; empty
// for those that no living task has.
func PlanStatuses(statuses []string) schema.OneOrMany {
	var out schema.OneOrMany
	for _, s := range statuses {
		for _, plan := range inPlans[schema.TaskStatus(s)] {
			out = append(out, string(plan))
		}
	}
	return out
}

// inPlans has the statuses of a living task's plan. A reset plan is retrying, and New; a
// paused one may be either.
var inPlans = map[schema.TaskStatus][]schema.Status{
	schema.TaskNew:       {schema.StatusQueued, schema.StatusRetrying, schema.StatusPaused},
	schema.TaskError:     {schema.StatusQueued, schema.StatusRetrying, schema.StatusPaused},
	schema.TaskExecuting: {schema.StatusExecuting},
	schema.TaskPending:   {schema.StatusPending},
	schema.TaskFailure:   {schema.StatusPlanError},
}

// StatusOf is the status of a task with the last result r. Delivering means that its callback
// is not delivered yet.
func StatusOf(r *schema.Result, delivering bool) schema.TaskStatus {
	switch {
	case r.State == schema.StateOK && delivering:
		return schema.TaskCompleted
	case r.State == schema.StateOK:
		return schema.TaskSuccess
	case r.Reason == schema.ReasonProcessed:
		return schema.TaskManuallyProcessed
	case r.State == schema.StateCancelled, r.State == schema.StateSkipped:
		return schema.TaskCancelled
	default:
		return schema.TaskFailure
	}
}

// Living shows a task that lives; v has its trace.
func Living(v *command.PlanView) schema.Task {
	t := fromMessage(v.Plan)
	t.Status = Status(v)
	t.ErrorCount = v.Trace.Errors
	t.ExecID, t.ExecutingDeadline = v.Trace.Exec, v.Trace.Deadline
	t.CreateDate, t.UpdateDate = v.Trace.Accepted, v.Trace.Accepted
	if t.StartTime.IsZero() {
		t.StartTime = v.Trace.Accepted
	}
	if e := v.Trace.LastError; e != nil {
		t.ErrorInfo, t.ExecTime = e.Info, seconds(e.ExecTime, e.EndTime)
		t.UpdateDate = later(t.UpdateDate, e.EndTime)
	}
	t.UpdateDate = later(t.UpdateDate, v.Trace.Sent)
	return t
}

// Finished shows a task by its last result, whose body is v.
func Finished(v wire.Value, r *schema.Result, delivering bool) schema.Task {
	t := fromMessage(v)
	t.Status = StatusOf(r, delivering)
	t.ErrorCount = r.ErrorCount
	t.CreateDate, t.UpdateDate = r.CreateDate, r.EndTime
	if t.StartTime.IsZero() {
		t.StartTime = r.PlanTime
	}
	t.ExecTime = seconds(r.ExecTime, r.EndTime)
	if e := r.LastError; e != nil {
		t.ErrorInfo = e.Info
		if r.ExecTime.IsZero() { // an operator ended it, between executions
			t.ExecTime = seconds(e.ExecTime, e.EndTime)
		}
	}
	switch t.Status {
	case schema.TaskSuccess, schema.TaskCompleted:
		t.Result = r.Content
	case schema.TaskManuallyProcessed, schema.TaskCancelled:
		t.Remark, _ = r.Content.Text()
		if r.State == schema.StateSkipped && t.Remark == "" {
			t.Remark = skippedRemark(r.Reason)
		}
	case schema.TaskFailure:
		t.ErrorInfo = r.ErrorInfo()
	}
	return t
}

// skippedRemark is the remark on a task whose time came without an execution.
func skippedRemark(why schema.Reason) string {
	switch why {
	case schema.ReasonPaused:
		return "it was not executed, because its start_time came while its plan was paused, as import --paused has it"
	case "", schema.ReasonManual: // a person ended it
		return ""
	default:
		return "it was not executed, because its occurrence was skipped: " + string(why)
	}
}

// fromMessage reads a task as it was submitted, from a definition or a result: the message of
// its agent. A result may have had to leave that out; it still names the task.
func fromMessage(v wire.Value) schema.Task {
	var q schema.TaskSubmit
	for _, m := range v.Field("messages").List() {
		if err := wire.DecodeLoose(m, &q); err != nil {
			q = schema.TaskSubmit{}
		}
		break
	}
	t := schema.Task{
		ID: q.ID, Type: q.Type, TenantID: q.TenantID, Creator: q.Creator, Category: q.Category,
		StartTime: q.StartTime, Ext: q.Ext,
	}
	if t.ID == "" {
		t.ID, _ = v.Field("plan_id").Text()
		t.Type, _ = v.Field("station").Text()
		t.TenantID, _ = v.Field("tenant_id").Text()
		t.Category, _ = v.Field("category").Text()
		t.Creator, _ = v.Field("creator").Text()
	}
	return t
}

// seconds is how long an execution took.
func seconds(began, ended time.Time) int64 {
	if began.IsZero() {
		return 0
	}
	return int64(math.Round(ended.Sub(began).Seconds()))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// CreatorOf is the creator of the task of a definition or a result. It reads no more of
// either.
func CreatorOf(v wire.Value) string {
	for _, m := range v.Field("messages").List() {
		creator, _ := m.Field("creator").Text()
		return creator
	}
	return ""
}
