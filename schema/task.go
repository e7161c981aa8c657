package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Requests and answers of the services task_types.* and tasks.*. The
// names are the seed's.

// TaskCommand is the command of the plans that tasks are.
const TaskCommand = "task"

// TaskStatus is the state of a task, as a view of its plan or of its result.
type TaskStatus string

const (
	TaskNew       TaskStatus = "New"       // no execution, no error yet
	TaskExecuting TaskStatus = "Executing" // an agent has it
	TaskError     TaskStatus = "Error"     // failed, and to be tried again
	TaskPending   TaskStatus = "Pending"   // a person has to act

	TaskSuccess           TaskStatus = "Success"           // done, and its callback, if any, delivered
	TaskCompleted         TaskStatus = "Completed"         // done, and the callback is not delivered yet
	TaskFailure           TaskStatus = "Failure"           // failed for good
	TaskManuallyProcessed TaskStatus = "ManuallyProcessed" // a person has done it
	TaskCancelled         TaskStatus = "Cancelled"         // a person cancelled it
)

// TaskStatuses are the words for how a task stands.
func TaskStatuses() []TaskStatus {
	return []TaskStatus{TaskNew, TaskExecuting, TaskError, TaskPending, TaskSuccess, TaskCompleted, TaskFailure, TaskManuallyProcessed, TaskCancelled}
}

// A TaskType is the record behind task_types.put, the seed's task_metadata. It makes the
// station of its code.
type TaskType struct {
	ID       string     `json:"id,omitempty" wire:"numeric"`       // the owner's own; may be empty
	Code     string     `json:"code"`                              // the name of its station
	Name     string     `json:"name,omitempty"`                    // for people; may be empty
	Category string     `json:"category,omitempty" wire:"numeric"` // of its tasks without one; may be empty
	Config   TaskConfig `json:"config"`                            // zero: the defaults
}

// TaskConfig configures how tasks of a type are carried out. Absent members are zero or
// nil, and answered as they came.
type TaskConfig struct {
	RetryStrategy Strategy `json:"retry_strategy,omitempty"` // none
	// RetryInterval is the seconds between tries of fixed_period, and before the first
	// retry of exponential.
	RetryInterval *Seconds `json:"retry_interval,omitempty"`
	// RetrySequence is the seconds before each retry of sequence; the last one repeats.
	RetrySequence []Seconds `json:"retry_sequence,omitempty" wire:"list"`
	// RetryJitter is a share of the delay, 0 to 1.
	RetryJitter *float64 `json:"retry_jitter,omitempty"`
	// MaxErrorCount is how many errors are followed by a retry. Absent: all.
	MaxErrorCount *int64 `json:"max_error_count,omitempty"`
	// Timeout bounds an execution, in minutes; TimeoutSeconds, in seconds, wins. Absent:
	// the installation's exec_timeout; 0: none.
	Timeout        *float64 `json:"timeout,omitempty"`
	TimeoutSeconds *Seconds `json:"timeout_seconds,omitempty"` // absent: Timeout
	// NeedManual makes a task Pending when its retries are used up, else it is a Failure.
	NeedManual *bool `json:"need_manual,omitempty"`
	// Kind is pull, whose agents fetch, or api, whose agents subscribe. Absent: pull.
	Kind Kind `json:"kind,omitempty"`

	// PingTimeoutMS is the milliseconds without a ping after which the execution is taken
	// away from its agent. Absent: none, and the timeout holds.
	PingTimeoutMS *int64 `json:"ping_timeout_ms,omitempty"`
	// MaxUnexpectedRetries is how often an execution whose agent vanished is tried again.
	// Absent: no limit.
	MaxUnexpectedRetries *int64 `json:"max_unexpected_retries,omitempty"`
	// UnexpectedRetryDelayMS is the milliseconds until it is. Absent: 0.
	UnexpectedRetryDelayMS *int64 `json:"unexpected_retry_delay_ms,omitempty"`

	// Callback is called when a task ended. Nil: none.
	Callback *Callback `json:"callback,omitempty"`
}

// TaskTypeName names a task type in task_types.get and delete.
type TaskTypeName struct {
	Code string `json:"code"` // required
}

// TaskTypePut answers task_types.put.
type TaskTypePut struct {
	Code    string `json:"code"`    // of the type
	Created bool   `json:"created"` // false: it replaced one
	// Dropped are the fields of the type before that this one leaves out, with their paths, as
	// config.retry. Empty: none.
	Dropped []string `json:"dropped,omitempty"`
}

// TaskTypeDeleted answers task_types.delete.
type TaskTypeDeleted struct {
	Code    string `json:"code"`    // as requested
	Deleted bool   `json:"deleted"` // false: there was none
}

// ListTaskTypes asks task_types.list. Limit is 1 to 1,000 (100).
type ListTaskTypes struct {
	Category string `json:"category,omitempty" wire:"numeric"` // must be equal; empty: any
	Limit    int64  `json:"limit,omitempty" wire:"1-1000"`     // types on a page; 0: 100
	Cursor   string `json:"cursor,omitempty"`                  // Next of the page before; empty: the first page
}

// TaskTypePage answers task_types.list, ordered by code.
type TaskTypePage struct {
	TaskTypes []TaskType `json:"task_types"`     // of this page
	Next      string     `json:"next,omitempty"` // the cursor of the next page; empty on the last
}

// TaskSubmit asks tasks.submit for one task. The agent gets all but OnConflict.
type TaskSubmit struct {
	ID       string `json:"id,omitempty" wire:"numeric"`        // absent: made
	Type     string `json:"type"`                               // the code of its task type; required
	TenantID string `json:"tenant_id,omitempty" wire:"numeric"` // filters lists and fetches; empty: none
	Creator  string `json:"creator,omitempty" wire:"numeric"`   // 0
	Category string `json:"category,omitempty" wire:"numeric"`  // that of the type
	// StartTime is when it may be executed first. Zero, or past: now.
	StartTime   time.Time  `json:"start_time,omitzero"`
	Ext         wire.Value `json:"ext,omitzero"`                    // any value, for the agent; zero: none
	Priority    *int64     `json:"priority,omitempty"`              // 0 to 9, 9 first (5)
	WorkerIDs   []string   `json:"worker_ids,omitempty" wire:"set"` // the agents that may execute it; empty: any
	WorkerCount int64      `json:"worker_count,omitempty"`          // how many different agents execute it (1)
	OnConflict  OnConflict `json:"on_conflict,omitempty"`           // of an id that exists (error)
}

// TaskBatch asks tasks.submit for many: at most 1,000. OnConflict is for those without one
// of their own.
type TaskBatch struct {
	Tasks      []wire.Value `json:"tasks" wire:"list"`     // each a [TaskSubmit]
	OnConflict OnConflict   `json:"on_conflict,omitempty"` // empty: error
}

// TaskSubmitted answers tasks.submit; in an answer to many, Error is the fault of one of
// them.
type TaskSubmitted struct {
	ID     string     `json:"id,omitempty"`     // given, or made
	Type   string     `json:"type,omitempty"`   // the code of its task type
	Status TaskStatus `json:"status,omitempty"` // empty with an Error
	Error  *Error     `json:"error,omitempty"`  // nil: it is accepted
}

// TasksSubmitted answers a tasks.submit of many, in their order.
type TasksSubmitted struct {
	Tasks []TaskSubmitted `json:"tasks"` // one for each of the request
}

// TaskName names a task in tasks.get and retry.
type TaskName struct {
	Type string `json:"type"`              // the code of its task type; required
	ID   string `json:"id" wire:"numeric"` // unique within the type; required
}

// Plan names the plan that the task is.
func (n TaskName) Plan() PlanName { return PlanName{Station: n.Type, PlanID: n.ID} }

// A Task is a task as tasks.get shows it.
type Task struct {
	ID        string     `json:"id"`                  // unique within the type
	TenantID  string     `json:"tenant_id,omitempty"` // empty: none
	Type      string     `json:"type"`                // the code of its task type
	Creator   string     `json:"creator"`             // the submitter's own id (0)
	StartTime time.Time  `json:"start_time,omitzero"` // UTC; when it may be executed first
	Status    TaskStatus `json:"status"`              // as it stands now
	// ExecutingDeadline is when an execution that has not ended by then is given to
	// another agent, and ExecID the id that its agent reports with.
	ExecutingDeadline time.Time `json:"executing_deadline,omitzero"`
	ExecID            string    `json:"exec_id,omitempty"`    // empty while no agent has it
	ErrorCount        int64     `json:"error_count"`          // how often it has failed
	ErrorInfo         string    `json:"error_info,omitempty"` // of the last failure
	Category          string    `json:"category,omitempty"`   // its own, or that of its type
	// Remark is the comment of the person that processed or cancelled it.
	Remark     string     `json:"remark,omitempty"`
	Ext        wire.Value `json:"ext,omitzero"`         // as submitted; zero: none
	Result     wire.Value `json:"result,omitzero"`      // any value, of the agent; zero: none
	ExecTime   int64      `json:"exec_time"`            // of the last execution that ended, in seconds
	CreateDate time.Time  `json:"create_date,omitzero"` // UTC; when it was submitted
	UpdateDate time.Time  `json:"update_date,omitzero"` // UTC; when it last changed
}

// ListTasks asks tasks.list: the living ones, or with History those that are finished.
type ListTasks struct {
	Type     string    `json:"type,omitempty"`                     // the code of a task type; empty: all
	Status   OneOrMany `json:"status,omitempty" wire:"set"`        // any of these; empty: all
	TenantID string    `json:"tenant_id,omitempty" wire:"numeric"` // must be equal; empty: any
	Category string    `json:"category,omitempty" wire:"numeric"`  // must be equal; empty: any
	Creator  string    `json:"creator,omitempty" wire:"numeric"`   // must be equal; empty: any
	History  bool      `json:"history,omitempty"`                  // false: the living ones
	// Of History: those that ended at From or later, and before To.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"` // zero: no bound, as of From
	// Order is "status" for those that are Pending first, then those that are in Error, a Failure,
	// Executing, New, Completed. A task whose status changes between two pages may be on both, or
	// on none. Empty: by type, then id.
	Order  string `json:"order,omitempty"`
	Limit  int64  `json:"limit,omitempty" wire:"1-1000"` // tasks on a page; 0: 100
	Cursor string `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
}

// OrderStatus is a word of Order of [ListTasks].
const OrderStatus = "status"

// TaskPage answers tasks.list and, without Next, tasks.fetch.
type TaskPage struct {
	Tasks []Task `json:"tasks"`          // of this page; none is an empty list
	Next  string `json:"next,omitempty"` // the cursor of the next page; empty on the last
	// RetryAfterMS is the delay before the next fetch, because this one found no place to
	// wait.
	RetryAfterMS int64 `json:"retry_after_ms,omitempty"`
}

// TaskFetch asks tasks.fetch: at most Limit, 1 to 100 (1), of those tasks that wait to be
// executed; when there are none, of the first that come within WaitMS, 0 to 60,000 (0).
type TaskFetch struct {
	WorkerID string   `json:"worker_id" wire:"numeric"`           // the agent's own id; required
	Type     string   `json:"type,omitempty"`                     // the code of one task type
	Types    []string `json:"types,omitempty" wire:"set"`         // neither: tasks of all types
	TenantID string   `json:"tenant_id,omitempty" wire:"numeric"` // must be equal; empty: any
	Category string   `json:"category,omitempty" wire:"numeric"`  // must be equal; empty: any
	Creator  string   `json:"creator,omitempty" wire:"numeric"`   // must be equal; empty: any
	Limit    int64    `json:"limit,omitempty" wire:"1-100"`       // tasks at most; 0: 1
	WaitMS   int64    `json:"wait_ms,omitempty" wire:"0-60000"`   // milliseconds; 0: no wait
}

// TaskReport asks tasks.report: an agent's report about an execution. Without a status it
// is Completed, or Error when there is an ErrorInfo.
type TaskReport struct {
	Type      string     `json:"type"`                               // the code of the task's type
	ID        string     `json:"id" wire:"numeric"`                  // the task's
	ExecID    string     `json:"exec_id"`                            // proves the right to report; required
	WorkerID  string     `json:"worker_id,omitempty" wire:"numeric"` // the agent's own id; may be empty
	Status    TaskStatus `json:"status,omitempty"`                   // Executing is a ping
	Result    wire.Value `json:"result,omitzero"`                    // any value; zero: none
	ErrorInfo string     `json:"error_info,omitempty"`               // the cause of a failure; empty: none
}

// TaskReported answers tasks.report. A report that is not accepted changed nothing,
// because the execution was superseded, or the task is finished. Cancel requests the agent
// to stop.
type TaskReported struct {
	ID             string     `json:"id"`                         // the task's
	Status         TaskStatus `json:"status"`                     // after the report
	Accepted       bool       `json:"accepted"`                   // the report counts
	Cancel         bool       `json:"cancel"`                     // the agent is to stop
	PingIntervalMS int64      `json:"ping_interval_ms,omitempty"` // milliseconds between two pings; 0: no pings
}

// TaskEnd asks tasks.cancel and tasks.process.
type TaskEnd struct {
	Type   string `json:"type"`              // the code of its task type; required
	ID     string `json:"id" wire:"numeric"` // the task's; required
	Remark string `json:"remark,omitempty"`  // the person's comment; may be empty
}

// TaskStanding answers tasks.cancel, process and retry.
type TaskStanding struct {
	ID     string     `json:"id"`     // the task's
	Status TaskStatus `json:"status"` // after the request
}

// MaxErrorInfo bounds the part of the agent's error that a LastError repeats, in bytes.
const MaxErrorInfo = 1 << 10

// A LastError is how a task failed the last time. It is kept with the task's plan, and in
// the result that settles the task, because a task may wait for a person, or for its
// retry, longer than the failure's own result is kept.
type LastError struct {
	Info string `json:"error_info"` // at most MaxErrorInfo bytes
	// Cut is set when Info is only the beginning; the failure's own result has all.
	Cut      bool      `json:"cut,omitempty"`
	ExecTime time.Time `json:"exec_time,omitzero"` // UTC; when that execution was sent
	EndTime  time.Time `json:"end_time,omitzero"`  // UTC; when it ended
}
