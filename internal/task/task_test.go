package task_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var anyType = &schema.TaskType{Code: "t"}

func TestATaskIsAOneShotPlan(t *testing.T) {
	for _, c := range []struct {
		what, submit, plan string
		of                 *schema.TaskType
	}{
		{"the least", `{"type":"t"}`,
			`{"plan_id":"made","station":"t","command":"task","messages":[{"id":"made","type":"t","creator":"0"}],"plan_type":"none","creator":"0"}`, anyType},
		{"all", `{"id":7,"type":"t","tenant_id":1,"creator":2,"category":3,"start_time":1000,"ext":{"x":1},"priority":0,"worker_ids":["w"],"worker_count":2,"on_conflict":"keep"}`,
			`{"plan_id":"7","station":"t","command":"task","tenant_id":"1","category":"3","messages":[` +
				`{"id":"7","type":"t","start_time":"1970-01-01T00:16:40Z","tenant_id":"1","creator":"2","category":"3","ext":{"x":1},"priority":0,"worker_count":2,"worker_ids":["w"]}],` +
				`"creator":"2","plan_type":"time","plan_time":"1970-01-01T00:16:40Z","no_keep":true,"priority":0,"worker_count":2,"worker_ids":["w"]}`, anyType},
		{"a category of its type", `{"id":"a","type":"t","ext":null}`,
			`{"plan_id":"a","station":"t","command":"task","category":"c","messages":[{"id":"a","type":"t","creator":"0","category":"c"}],"creator":"0","plan_type":"none"}`,
			&schema.TaskType{Code: "t", Category: "c"}},
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			s, err := task.ParseSubmit(value(t, c.submit).In(enc), made)
			if err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			d, err := s.Plan(c.of)
			if err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			if diff := cmp.Diff(value(t, c.plan).Any(), d.Value().In(wire.JSON).Any()); diff != "" || d.Enc != enc {
				t.Errorf("%s in %s: %s", c.what, enc, diff)
			}
			if again, ok := task.Again(d.Value()); !ok || again.Type != "t" {
				t.Errorf("%s is not made again: %+v", c.what, again)
			}
		}
	}
	if _, ok := task.Again(value(t, `{"plan_id":"a","station":"t","command":"task"}`)); ok {
		t.Error("a task is made of nothing")
	}
}

// A task that is submitted again without a start time makes an equal plan.
func TestARepeatedSubmissionIsTheSame(t *testing.T) {
	var plans []string
	for range 2 {
		s, err := task.ParseSubmit(value(t, `{"id":"a","type":"t","on_conflict":"keep"}`), made)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Plan(anyType)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, string(d.Raw))
		if d.Plan.OnConflict != schema.ConflictKeep {
			t.Errorf("on_conflict is %q", d.Plan.OnConflict)
		}
	}
	if plans[0] != plans[1] {
		t.Errorf("%s is not %s", plans[1], plans[0])
	}
}

func TestErrorsOfATaskNameTheField(t *testing.T) {
	for _, c := range []struct{ submit, want string }{
		{`{}`, "type"},
		{`[]`, "the request takes a map, not a list"},
		{`{"type":"t","id":"a.b","priority":10,"worker_count":-1,"worker_ids":["*"],"on_conflict":"no"}`,
			"id, priority, worker_count, worker_ids, on_conflict"},
		{`{"type":"t","start_time":-1,"tenant_id":{}}`, "tenant_id, start_time"},
		{`{"type":"t","statr_time":1}`, "statr_time"},
		{`{"type":"t","category":"` + strings.Repeat("c", 5000) + `"}`, "category too_large"},
		{`{"type":"t","ext":"` + strings.Repeat("x", 512<<10) + `"}`, "too_large"},
	} {
		_, err := task.ParseSubmit(value(t, c.submit), made)
		if got := fields(err); !strings.Contains(got, c.want) {
			t.Errorf("%.60s: errors of %.200s, want %s", c.submit, got, c.want)
		}
	}
}

func at(second int) time.Time { return noon.Add(time.Duration(second) * time.Second) }

// plan is a living task's, as its leader shows it.
func plan(t *testing.T, status schema.Status, trace command.TaskTrace) *command.PlanView {
	s, err := task.ParseSubmit(value(t, `{"id":"a","type":"t","tenant_id":"1","creator":"me","category":"c","ext":{"x":1}}`), made)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Plan(anyType)
	if err != nil {
		t.Fatal(err)
	}
	trace.Accepted = noon
	return &command.PlanView{PlanView: schema.PlanView{Plan: d.Value(), State: schema.PlanState{Status: status}}, Trace: &trace}
}

// Every status of a living task, and the fields of its view.
func TestFieldsOfALivingTask(t *testing.T) {
	failed := &schema.LastError{Info: "no", ExecTime: at(1), EndTime: at(4)}
	base := schema.Task{ID: "a", Type: "t", TenantID: "1", Creator: "me", Category: "c", StartTime: noon, CreateDate: noon, UpdateDate: noon}
	for _, c := range []struct {
		what string
		view *command.PlanView
		want func(*schema.Task)
	}{
		{"waits", plan(t, schema.StatusQueued, command.TaskTrace{}), func(k *schema.Task) { k.Status = "New" }},
		{"paused", plan(t, schema.StatusPaused, command.TaskTrace{}), func(k *schema.Task) { k.Status = "New" }},
		{"reset", plan(t, schema.StatusRetrying, command.TaskTrace{LastError: failed}), func(k *schema.Task) {
			k.Status, k.ErrorInfo, k.ExecTime, k.UpdateDate = "New", "no", 3, at(4)
		}},
		{"executes", plan(t, schema.StatusExecuting, command.TaskTrace{Exec: "1-0123456789abcdef", Sent: at(1), Deadline: at(60)}), func(k *schema.Task) {
			k.Status, k.ExecID, k.ExecutingDeadline, k.UpdateDate = "Executing", "1-0123456789abcdef", at(60), at(1)
		}},
		{"retries", plan(t, schema.StatusRetrying, command.TaskTrace{Errors: 2, LastError: failed}), func(k *schema.Task) {
			k.Status, k.ErrorCount, k.ErrorInfo, k.ExecTime, k.UpdateDate = "Error", 2, "no", 3, at(4)
		}},
		{"its agent was lost", plan(t, schema.StatusRetrying, command.TaskTrace{Lost: 1, LastError: failed}), func(k *schema.Task) {
			k.Status, k.ErrorInfo, k.ExecTime, k.UpdateDate = "Error", "no", 3, at(4)
		}},
		{"waits for a person", plan(t, schema.StatusPending, command.TaskTrace{Errors: 1, LastError: failed}), func(k *schema.Task) {
			k.Status, k.ErrorCount, k.ErrorInfo, k.ExecTime, k.UpdateDate = "Pending", 1, "no", 3, at(4)
		}},
		{"stopped", plan(t, schema.StatusPlanError, command.TaskTrace{}), func(k *schema.Task) { k.Status = "Failure" }},
	} {
		want := base
		c.want(&want)
		got := task.Living(c.view)
		if got.Ext.String() != `{"x":1}` {
			t.Errorf("%s: ext %s", c.what, got.Ext)
		}
		got.Ext = wire.Value{}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(wire.Value{})); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
		if plans := task.PlanStatuses([]string{string(got.Status)}); !strings.Contains(strings.Join(plans, " "), string(c.view.State.Status)) {
			t.Errorf("a list of those that are %s looks at %v", got.Status, plans)
		}
	}
	if got := task.PlanStatuses([]string{"Success", "Cancelled"}); len(got) != 0 {
		t.Errorf("finished ones are looked for among %v", got)
	}
}

// Every status of a finished task, and the fields of its view.
func TestFieldsOfAFinishedTask(t *testing.T) {
	content := wire.Text(wire.JSON, "said")
	failed := &schema.LastError{Info: "the agent did not end in time", ExecTime: at(1), EndTime: at(3)}
	for _, c := range []struct {
		result     schema.Result
		delivering bool
		want       schema.Task
	}{
		{schema.Result{State: schema.StateOK, Content: content, ExecTime: at(1), EndTime: at(3)}, false,
			schema.Task{Status: "Success", Result: content, ErrorInfo: "the agent did not end in time", ExecTime: 2, UpdateDate: at(3)}},
		{schema.Result{State: schema.StateOK, EndTime: at(3)}, true,
			schema.Task{Status: "Completed", ErrorInfo: "the agent did not end in time", ExecTime: 2, UpdateDate: at(3)}},
		{schema.Result{State: schema.StateFailure, Reason: schema.ReasonWorker, Error: content, ExecTime: at(1), EndTime: at(2)}, true,
			schema.Task{Status: "Failure", ErrorInfo: "said", ExecTime: 1, UpdateDate: at(2)}},
		{schema.Result{State: schema.StateFailure, Reason: schema.ReasonRetries, Cause: schema.ReasonStart, EndTime: at(2)}, false,
			schema.Task{Status: "Failure", ErrorInfo: "no agent began in time", UpdateDate: at(2)}},
		{schema.Result{State: schema.StateCancelled, Reason: schema.ReasonProcessed, Content: content, EndTime: at(9)}, false,
			schema.Task{Status: "ManuallyProcessed", Remark: "said", ErrorInfo: "the agent did not end in time", ExecTime: 2, UpdateDate: at(9)}},
		{schema.Result{State: schema.StateCancelled, Reason: schema.ReasonManual, Content: content, EndTime: at(9)}, false,
			schema.Task{Status: "Cancelled", Remark: "said", ErrorInfo: "the agent did not end in time", ExecTime: 2, UpdateDate: at(9)}},
		{schema.Result{State: schema.StateSkipped, Reason: schema.ReasonManual, EndTime: at(9)}, false,
			schema.Task{Status: "Cancelled", ErrorInfo: "the agent did not end in time", ExecTime: 2, UpdateDate: at(9)}},
	} {
		r := c.result
		r.CreateDate, r.ErrorCount, r.PlanTime = noon, 1, at(1)
		if r.State != schema.StateFailure {
			r.LastError = failed
		}
		c.want.ID, c.want.Type, c.want.Creator = "a", "t", "me"
		c.want.CreateDate, c.want.ErrorCount, c.want.StartTime = noon, 1, at(1)
		body := value(t, `{"plan_id":"a","station":"t","command":"task","messages":[{"id":"a","type":"t","creator":"me"}]}`)
		if diff := cmp.Diff(c.want, task.Finished(body, &r, c.delivering), cmp.AllowUnexported(wire.Value{})); diff != "" {
			t.Errorf("%s %s: %s", r.State, r.Reason, diff)
		}
	}
	// A result that had to leave the task out still names it.
	bare := task.Finished(value(t, `{"plan_id":"a","station":"t","tenant_id":"1"}`), &schema.Result{State: schema.StateOK}, false)
	if bare.ID != "a" || bare.Type != "t" || bare.TenantID != "1" {
		t.Errorf("a curtailed result shows %+v", bare)
	}
}

// text is v in JSON, nothing when it is absent.
func text(v wire.Value) string {
	if v.IsZero() {
		return ""
	}
	return v.String()
}

func TestFieldsOfAReport(t *testing.T) {
	const about = `"type":"t","id":"a","exec_id":"3-0123456789abcdef"`
	for _, c := range []struct{ report, state, content, error string }{
		{``, "ok", "", ""},
		{`,"result":{"n":1}`, "ok", `{"n":1}`, ""},
		{`,"status":"Completed","result":1`, "ok", "1", ""},
		{`,"status":"Success"`, "ok", "", ""},
		{`,"error_info":"no"`, "error", "", `"no"`},
		{`,"status":"Error"`, "error", "", ""},
		{`,"status":"Failure","error_info":"never"`, "failure", "", `"never"`},
		{`,"status":"Executing","error_info":"?"`, "running", "", ""},
	} {
		var q schema.TaskReport
		if err := wire.Decode(value(t, `{`+about+c.report+`}`), &q); err != nil {
			t.Fatal(err)
		}
		got, err := task.Report(&q, wire.JSON)
		if err != nil {
			t.Errorf("%s: %v", c.report, err)
		}
		r := got.Reply
		if string(r.State) != c.state || text(r.Content) != c.content || text(r.Error) != c.error {
			t.Errorf("%s is %s, content %s, error %s", c.report, r.State, r.Content, r.Error)
		}
		if silent := r.Callback != nil && !*r.Callback; silent != (q.Status == schema.TaskSuccess) {
			t.Errorf("%s: no callback is wanted: %v", c.report, silent)
		}
		if want := (schema.ReplyName{Station: "t", PlanID: "a", N: 3, Nonce: "0123456789abcdef"}); got.About != want {
			t.Errorf("it is about %+v", got.About)
		}
	}
	for _, c := range []struct {
		report schema.TaskReport
		want   string
	}{
		{schema.TaskReport{}, "type, id, exec_id"},
		{schema.TaskReport{Type: "t", ID: "a", ExecID: "3", WorkerID: "*", Status: "New"}, "exec_id, worker_id, status"},
	} {
		if _, err := task.Report(&c.report, wire.JSON); fields(err) != c.want {
			t.Errorf("errors of %s, want %s", fields(err), c.want)
		}
	}
}

func TestWorkersThatFetchAndEnd(t *testing.T) {
	c, err := task.Fetch(&schema.TaskFetch{WorkerID: "w", Types: []string{"b", "a", "b"}, TenantID: "1", Category: "c", Creator: "me"})
	want := command.ClaimWork{WorkerID: "w", Stations: []string{"a", "b"}, TenantID: "1", Category: "c", Creator: "me", Tasks: true, Views: true}
	if diff := cmp.Diff(want, c); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if both, err := task.Fetch(&schema.TaskFetch{Type: "b", Types: []string{"a"}}); err != nil || len(both.Stations) != 2 {
		t.Errorf("%v of %v", err, both.Stations)
	}
	if _, err := task.Fetch(&schema.TaskFetch{Type: "a.", Types: []string{"*"}}); fields(err) != "types, type" {
		t.Errorf("errors of %s", fields(err))
	}
	if _, err := task.Fetch(&schema.TaskFetch{Types: make([]string, 101)}); fields(err) != "types" {
		t.Errorf("errors of %s", fields(err))
	}
	if _, err := task.End(&schema.TaskEnd{ID: "*", Remark: strings.Repeat("r", 5000)}, true); fields(err) != "type, id, remark too_large" {
		t.Errorf("errors of %s", fields(err))
	}
}
