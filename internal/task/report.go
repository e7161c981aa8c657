package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// maxTypes bounds the types that one fetch names.
const maxTypes = 100

// Fetch translates tasks.fetch, but for limit and wait. The error is [schema.Errors].
func Fetch(q *schema.TaskFetch) (command.ClaimWork, error) {
	var c checker
	if len(q.Types) > maxTypes {
		c.fail("types", "types has %d items; at most %d are taken", len(q.Types), maxTypes)
	}
	for i, code := range q.Types {
		if err := schema.CheckStation(code); err != nil {
			c.fail("types", "types: item %d %v", i+1, err)
		}
	}
	types := q.Types
	if q.Type != "" {
		c.typeName(q.Type)
		types = append([]string{q.Type}, types...)
	}
	types = slices.Compact(slices.Sorted(slices.Values(types)))
	return command.ClaimWork{
		WorkerID: q.WorkerID, Stations: types, TenantID: q.TenantID, Category: q.Category, Creator: q.Creator,
		Tasks: true, Views: true,
	}, c.err()
}

// Report translates tasks.report into a worker's reply; enc is the encoding of the request.
// The error is [schema.Errors].
func Report(q *schema.TaskReport, enc wire.Encoding) (command.ReportTask, error) {
	var c checker
	c.name(schema.TaskName{Type: q.Type, ID: q.ID})
	about := schema.ReplyName{Station: q.Type, PlanID: q.ID}
	var ok bool
	switch about.N, about.Nonce, ok = schema.ParseExec(q.ExecID); {
	case q.ExecID == "":
		c.fail("exec_id", "exec_id is missing; it came with the task, and names the execution that the report is about")
	case !ok:
		c.fail("exec_id", "exec_id is none that came with a task; send it back as it is")
	}
	if q.WorkerID != "" {
		if err := schema.CheckID(q.WorkerID); err != nil {
			c.fail("worker_id", "worker_id %v", err)
		}
	}
	out := command.ReportTask{About: about, Reply: schema.Reply{WorkerID: q.WorkerID}}
	r := &out.Reply
	switch status := q.Status; {
	case status == schema.TaskSuccess:
		unwanted := false
		r.State, r.Content, r.Callback = schema.StateOK, q.Result, &unwanted
	case status == schema.TaskCompleted, status == "" && q.ErrorInfo == "":
		r.State, r.Content = schema.StateOK, q.Result
	case status == schema.TaskError, status == "":
		r.State = schema.StateError
	case status == schema.TaskFailure:
		r.State = schema.StateFailure
	case status == schema.TaskExecuting:
		r.State = schema.StateRunning
	default:
		c.fail("status", "status is %q; it takes Success, Completed, Error, Failure, or Executing while it is under way", clip(string(status)))
	}
	if q.ErrorInfo != "" && (r.State == schema.StateError || r.State == schema.StateFailure) {
		r.Error = fitting(q.ErrorInfo, enc)
	}
	// Refused here, because it would end as an error otherwise, and the agent would not know
	// why.
	if n := len(r.Content.Raw()); n > schema.MaxReplyBytes {
		c.add(&schema.Error{Code: schema.CodeTooLarge, Field: "result", Message: fmt.Sprintf(
			"result has %d bytes; at most %d are kept: store it elsewhere, and report where", n, schema.MaxReplyBytes)})
	}
	return out, c.err()
}

// fitting is text as far as a reply has room for it. An agent's error may be a whole log, and
// a refusal would lose the failure.
func fitting(text string, enc wire.Encoding) wire.Value {
	v := wire.Text(enc, text)
	for len(v.Raw()) > schema.MaxReplyBytes {
		text = strings.ToValidUTF8(text[:len(text)*schema.MaxReplyBytes/(len(v.Raw())+1)], "")
		v = wire.Text(enc, text)
	}
	return v
}

// Settled is the status of a task that has closed since a report of state s was accepted.
func Settled(s schema.State, delivering bool) schema.TaskStatus {
	return StatusOf(&schema.Result{State: s}, delivering)
}

// CheckName returns the errors of a task's name, as [schema.Errors].
func CheckName(n schema.TaskName) error {
	var c checker
	c.name(n)
	return c.err()
}

// End translates tasks.cancel and, processed, tasks.process. The error is [schema.Errors].
func End(q *schema.TaskEnd, processed bool) (command.EndTask, error) {
	var c checker
	n := schema.TaskName{Type: q.Type, ID: q.ID}
	c.name(n)
	c.text("remark", q.Remark)
	return command.EndTask{Name: n.Plan(), Processed: processed, Remark: q.Remark}, c.err()
}
