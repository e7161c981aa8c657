package task

import (
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// PeriodicLog is the log entry of a run of a task's plan: of a result, or of an execution
// under way. It is false for a run that was no trigger, such as an occurrence that fell due
// while the task was offline, and for one that is not to be logged.
func PeriodicLog(t schema.PeriodicTask, r *schema.Result) (schema.PeriodicLog, bool) {
	mode := logMode(t, r)
	if mode == schema.PeriodicLogNone || r.N <= 0 || r.State == schema.StateSkipped && r.Attempt == 0 {
		return schema.PeriodicLog{}, false
	}
	l := schema.PeriodicLog{
		ID: periodicLogID(t.ID, r), PeriodicTaskID: t.ID, TenantID: t.TenantID,
		Result: schema.PeriodicSuccess, CreateDate: triggered(r),
	}
	l.UpdateDate = l.CreateDate
	if mode == schema.PeriodicLogTrigger {
		return l, true
	}
	switch r.State {
	case schema.StateOK:
	case schema.StateDispatched, schema.StateRunning, schema.StateWaiting:
		l.Result = schema.PeriodicExecuting
		return l, true
	default:
		l.Result, l.ErrorInfo = schema.PeriodicFailure, r.ErrorInfo()
	}
	l.UpdateDate = r.EndTime
	return l, true
}

// ClaimedLog is PeriodicLog of a task whose type is of kind pull. A trigger waits there until
// it is claimed, and those that fall due meanwhile are failures of the log, because otherwise
// the log of a type without agents would be empty for ever.
func ClaimedLog(t schema.PeriodicTask, r *schema.Result) (schema.PeriodicLog, bool) {
	gaveWay := r.N > 0 && r.State == schema.StateSkipped && r.Attempt == 0 && r.Reason == schema.ReasonOverlap
	if !gaveWay || logMode(t, r) != schema.PeriodicLogTrans {
		return PeriodicLog(t, r)
	}
	l := schema.PeriodicLog{
		ID: periodicLogID(t.ID, r), PeriodicTaskID: t.ID, TenantID: t.TenantID,
		Result: schema.PeriodicFailure, ErrorInfo: unclaimed, CreateDate: triggered(r), UpdateDate: r.EndTime,
	}
	return l, true
}

// unclaimed is the error of a trigger that a type of kind pull did not carry out.
const unclaimed = "no agent claimed it: the trigger before it was under way, or had not been claimed yet"

// logMode is the log mode of a run at its due time.
func logMode(t schema.PeriodicTask, r *schema.Result) schema.PeriodicLogMode {
	if mode := schema.PeriodicLogMode(r.Labels[labelLog]); mode != "" {
		return mode
	}
	return t.Log // a result that had to leave out most of its plan
}

// periodicLogID identifies a trigger, also among those of a deleted task that had the same id.
// A result's key is "<station>/<plan_id>/<incarnation>/<k>".
func periodicLogID(id string, r *schema.Result) string {
	incarnation := "0"
	if parts := strings.Split(r.Key, "/"); len(parts) == 4 {
		incarnation = parts[2]
	}
	return id + "." + incarnation + "." + strconv.FormatInt(r.N, 10)
}

// triggered is when a run was dispatched, or due if it was not.
func triggered(r *schema.Result) time.Time {
	if r.ExecTime.IsZero() {
		return r.PlanTime
	}
	return r.ExecTime
}
