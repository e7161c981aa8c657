package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// sampleType sets every field of a task type.
var sampleError = LastError{Info: "no such codec", Cut: true, ExecTime: due, EndTime: later}

var sampleType = TaskType{
	ID: "7", Code: "hello.eu", Name: "Hello", Category: "c",
	Config: TaskConfig{
		RetryStrategy: RetrySequence, RetryInterval: ptr[Seconds](1), RetrySequence: []Seconds{1, 2.5}, RetryJitter: ptr(0.1),
		MaxErrorCount: ptr[int64](3), Timeout: ptr(2.0), TimeoutSeconds: ptr[Seconds](90), NeedManual: ptr(true), Kind: KindPull,
		PingTimeoutMS: ptr[int64](3000), MaxUnexpectedRetries: ptr[int64](2), UnexpectedRetryDelayMS: ptr[int64](10),
		Callback: &Callback{Success: &CallbackTarget{URL: "https://example.org/done", Method: "PUT"}},
	},
}

// taskSamples is one value of every type of the services task_types.* and tasks.*.
func taskSamples(enc wire.Encoding) map[string]any {
	task := Task{
		ID: "T1", TenantID: "17", Type: "hello.eu", Creator: "me", StartTime: due, Status: TaskExecuting,
		ExecutingDeadline: later, ExecID: "4-" + nonce, ErrorCount: 1, ErrorInfo: "no", Category: "c", Remark: "r",
		Ext: wire.Text(enc, "x"), Result: wire.Text(enc, "y"), ExecTime: 2, CreateDate: due, UpdateDate: later,
	}
	return map[string]any{
		"task_type":         sampleType,
		"task_type_name":    TaskTypeName{Code: "hello.eu"},
		"task_type_put":     TaskTypePut{Code: "hello.eu", Created: true, Dropped: []string{"config.retry"}},
		"task_type_deleted": TaskTypeDeleted{Code: "hello.eu", Deleted: true},
		"list_task_types":   ListTaskTypes{Category: "c", Limit: 5, Cursor: "x"},
		"task_type_page":    TaskTypePage{TaskTypes: []TaskType{sampleType}, Next: "x"},
		"task_submit": TaskSubmit{
			ID: "T1", Type: "hello.eu", TenantID: "17", Creator: "me", Category: "c", StartTime: due, Ext: wire.Text(enc, "x"),
			Priority: ptr[int64](9), WorkerIDs: []string{"w1"}, WorkerCount: 2, OnConflict: ConflictKeep,
		},
		"task_batch":       TaskBatch{Tasks: []wire.Value{wire.Text(enc, "a task")}, OnConflict: ConflictUpdate},
		"task_submitted":   TaskSubmitted{ID: "T1", Type: "hello.eu", Status: TaskNew, Error: &Error{Code: CodeNotFound, Message: "m"}},
		"tasks_submitted":  TasksSubmitted{Tasks: []TaskSubmitted{{ID: "T1", Type: "hello.eu", Status: TaskNew}}},
		"task_name":        TaskName{Type: "hello.eu", ID: "T1"},
		"task":             task,
		"list_tasks":       ListTasks{Type: "hello.eu", Status: OneOrMany{"New"}, TenantID: "1", Category: "c", Creator: "me", History: true, From: due, To: later, Limit: 5, Cursor: "x"},
		"list_tasks_order": ListTasks{Order: OrderStatus},
		"task_fetch":       TaskFetch{WorkerID: "w1", Type: "hello.eu", Types: []string{"hello.us"}, TenantID: "1", Category: "c", Creator: "me", Limit: 5, WaitMS: 1000},
		"task_page_later":  TaskPage{Tasks: []Task{}, RetryAfterMS: 1000},
		"task_page":        TaskPage{Tasks: []Task{task}, Next: "x"},
		"task_report":      TaskReport{Type: "hello.eu", ID: "T1", ExecID: "4-" + nonce, WorkerID: "w1", Status: TaskError, Result: wire.Text(enc, "y"), ErrorInfo: "no"},
		"task_reported":    TaskReported{ID: "T1", Status: TaskError, Accepted: true, Cancel: true, PingIntervalMS: 1000},
		"task_end":         TaskEnd{Type: "hello.eu", ID: "T1", Remark: "r"},
		"task_standing":    TaskStanding{ID: "T1", Status: TaskCancelled},
	}
}
