package cronjob

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Run is an execution of a task with its result, or without one yet.
type Run struct {
	ID            string     `json:"id"`
	TaskID        string     `json:"task_id"`
	ScheduledTime time.Time  `json:"scheduled_time"`
	Status        RunStatus  `json:"status"`
	Count         int64      `json:"count,omitempty"` // of a skip that stands for several
	Attempt       int64      `json:"attempt"`
	StartTime     time.Time  `json:"start_time,omitzero"`
	EndTime       time.Time  `json:"end_time,omitzero"`
	DurationMS    *int64     `json:"duration_ms,omitempty"` // of a run that began and ended
	Trigger       Trigger    `json:"trigger"`
	SkipReason    SkipReason `json:"skip_reason,omitempty"`
	ResponseCode  int64      `json:"response_code,omitempty"`
	ResponseBody  string     `json:"response_body,omitempty"` // its first 64 KiB
	Error         string     `json:"error,omitempty"`
	WorkerID      string     `json:"worker_id,omitempty"`
}

// RunStatus is the state of a run, or its outcome.
type RunStatus string

const (
	Scheduled     RunStatus = "SCHEDULED" // it waits for its turn, or for a worker's first reply
	Running       RunStatus = "RUNNING"   // an ASYNC one also while it waits for its callback
	Success       RunStatus = "SUCCESS"
	Failed        RunStatus = "FAILED"
	Timeout       RunStatus = "TIMEOUT"        // no response in time
	FailedTimeout RunStatus = "FAILED_TIMEOUT" // no callback in time
	Canceled      RunStatus = "CANCELED"
	Skipped       RunStatus = "SKIPPED"
)

// RunStatuses are all statuses of runs.
var RunStatuses = []RunStatus{Scheduled, Running, Success, Failed, Timeout, FailedTimeout, Canceled, Skipped}

// Trigger is the cause of a run.
type Trigger string

const (
	ByCron    Trigger = "cron"
	ByHand    Trigger = "manual"
	ByCatchUp Trigger = "catch_up"
)

// SkipReason is the reason why there was no call.
type SkipReason string

// The seed's reasons, and three of plans: the task was disabled, a request skipped an
// occurrence (plans.skip, plans.close), or calendars exclude it.
const (
	SkippedOverlap     SkipReason = "OVERLAP"
	SkippedConcurrency SkipReason = "CONCURRENCY"
	SkippedFailure     SkipReason = "FAILURE"
	SkippedMissed      SkipReason = "MISSED"
	SkippedPaused      SkipReason = "PAUSED"
	SkippedManual      SkipReason = "MANUAL"
	SkippedCalendar    SkipReason = "CALENDAR"
)

var skipReasons = map[schema.Reason]SkipReason{
	schema.ReasonOverlap: SkippedOverlap, schema.ReasonConcurrency: SkippedConcurrency,
	schema.ReasonFailure: SkippedFailure, schema.ReasonMissed: SkippedMissed, schema.ReasonPast: SkippedMissed,
	schema.ReasonPaused: SkippedPaused, schema.ReasonManual: SkippedManual, schema.ReasonCalendar: SkippedCalendar,
}

// maxResponse bounds the response that is shown of a run.
const maxResponse = 64 << 10

// RunID is the id of run n of a task.
func RunID(taskID string, n int64) string { return taskID + "." + strconv.FormatInt(n, 10) }

// ParseRunID is the inverse of [RunID].
func ParseRunID(id string) (taskID string, n int64, ok bool) {
	taskID, number, _ := strings.Cut(id, ".")
	n, err := strconv.ParseInt(number, 10, 64)
	return taskID, n, err == nil && n > 0 && schema.CheckID(taskID) == nil && RunID(taskID, n) == id
}

// RunOf shows a result, or an execution under way, as a run.
func RunOf(r *schema.Result) Run {
	run := Run{
		ID: RunID(r.PlanID, r.N), TaskID: r.PlanID, ScheduledTime: r.PlanTime, Attempt: r.Attempt,
		EndTime: r.EndTime, Trigger: ByCron, WorkerID: r.WorkerID,
	}
	switch r.Trigger {
	case "":
	case schema.TriggerManual:
		run.Trigger = ByHand
	default:
		run.Trigger = Trigger(r.Trigger)
	}
	run.Status = statusOf(r)
	if run.Status == Skipped {
		run.SkipReason = skipReasons[r.Reason]
		run.Count = r.Count
		return run
	}
	run.StartTime = r.ExecTime
	if !r.ExecTime.IsZero() && !r.EndTime.IsZero() {
		took := r.EndTime.Sub(r.ExecTime).Milliseconds()
		run.DurationMS = &took
	}
	run.outcome(r)
	if run.Error == "" && (run.Status == Timeout || run.Status == FailedTimeout) {
		run.Error = silence(r, run.Status)
	}
	return run
}

func statusOf(r *schema.Result) RunStatus {
	switch r.State {
	case schema.StateDispatched:
		return Scheduled
	case schema.StateWaiting:
		if r.ExecTime.IsZero() { // it waits for its turn, not for a callback
			return Scheduled
		}
		return Running
	case schema.StateRunning:
		return Running
	case schema.StateOK:
		return Success
	case schema.StateSkipped:
		return Skipped
	case schema.StateCancelled:
		return Canceled
	}
	why := r.Cause // of a failure, because its reason, that it is out of retries, does not describe this run
	if r.State == schema.StateTimeout {
		why = r.Reason
	}
	outcome, _ := schema.ReadHTTPOutcome(r)
	switch {
	case outcome.Class == schema.HTTPTimeout: // no response to the call
		return Timeout
	case why == "":
		return Failed
	case isAsync(r) && why != schema.ReasonStart: // the call had been answered
		return FailedTimeout
	default: // the worker never replied
		return Timeout
	}
}

func isAsync(r *schema.Result) bool {
	if len(r.Messages) == 0 {
		return false
	}
	kind, _ := r.Messages[0].Field("exec_type").Text()
	return strings.EqualFold(kind, string(schema.ExecAsync))
}

func silence(r *schema.Result, status RunStatus) string {
	if status == FailedTimeout {
		return "no callback came in time"
	}
	return fmt.Sprintf("no word from the worker by %s", r.EndTime.UTC().Format(time.RFC3339))
}

// outcome reads the built-in worker's outcome of a call, or the reply of another worker of
// the station as it is.
func (run *Run) outcome(r *schema.Result) {
	o, ok := schema.ReadHTTPOutcome(r)
	if !ok {
		run.Error, run.ResponseBody = text(r.Error), cut(text(r.Content))
		return
	}
	run.Error, run.ResponseCode, run.ResponseBody = o.Message, o.Status, cut(o.Body)
	if len(o.BodyBase64) > 0 {
		run.ResponseBody = cut(base64.StdEncoding.EncodeToString(o.BodyBase64))
	}
}

// text is a text as it is, and any other value as JSON.
func text(v wire.Value) string {
	if s, ok := v.Text(); ok {
		return s
	}
	if v.IsZero() || v.Kind() == wire.KindNull {
		return ""
	}
	return string(v.In(wire.JSON).Raw())
}

func cut(s string) string {
	if len(s) > maxResponse {
		return strings.ToValidUTF8(s[:maxResponse], "")
	}
	return s
}
