package client

import (
	"context"
	"iter"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

const tasksGroup = "tasks"

// A Task is a handle of one task, by its type and its id.
type Task struct {
	c    *Client
	name schema.TaskName
}

// Task returns the handle of a task by its type and its id.
func (c *Client) Task(typ, id string) Task { return Task{c, schema.TaskName{Type: typ, ID: id}} }

// Name returns the type and the id of the task.
func (t Task) Name() schema.TaskName { return t.name }

// Get returns the task, unfinished or finished.
func (t Task) Get(ctx context.Context) (*schema.Task, error) {
	return readOne[schema.Task](ctx, t.c, tasksGroup, "get", t.name)
}

// Cancel ends the task, and notifies the agents that execute it. The remark is kept with the
// task; it may be empty.
func (t Task) Cancel(ctx context.Context, remark string) (*schema.TaskStanding, error) {
	return change[schema.TaskStanding](ctx, t.c, tasksGroup, "cancel", t.end(remark))
}

// Process ends a pending task, because a person has taken care of it. The remark is kept with
// the task; it may be empty.
func (t Task) Process(ctx context.Context, remark string) (*schema.TaskStanding, error) {
	return change[schema.TaskStanding](ctx, t.c, tasksGroup, "process", t.end(remark))
}

// Retry executes a task again that is pending or a failure, with its error count at 0.
func (t Task) Retry(ctx context.Context) (*schema.TaskStanding, error) {
	return change[schema.TaskStanding](ctx, t.c, tasksGroup, "retry", t.name)
}

func (t Task) end(remark string) schema.TaskEnd {
	return schema.TaskEnd{Type: t.name.Type, ID: t.name.ID, Remark: remark}
}

// Tasks is the handle of all tasks.
type Tasks struct{ c *Client }

// Tasks returns the handle of all tasks. [Client.Task] is that of one.
func (c *Client) Tasks() Tasks { return Tasks{c} }

// Submit submits a task. A request can be repeated after [ErrUnavailable] when the task has an
// ID and its OnConflict is keep.
func (t Tasks) Submit(ctx context.Context, task schema.TaskSubmit) (*schema.TaskSubmitted, error) {
	return change[schema.TaskSubmitted](ctx, t.c, tasksGroup, "submit", task)
}

// SubmitMany submits at most 1,000 tasks in one message, which the NATS server has to accept.
// An invalid task does not stop the others, and its answer, at its index, has an error.
func (t Tasks) SubmitMany(ctx context.Context, tasks []schema.TaskSubmit) ([]schema.TaskSubmitted, error) {
	batch := struct {
		Tasks []schema.TaskSubmit `json:"tasks"`
	}{tasks}
	answer, err := change[schema.TasksSubmitted](ctx, t.c, tasksGroup, "submit", batch)
	if err != nil {
		return nil, err
	}
	return answer.Tasks, nil
}

// All returns the tasks that match, page by page; an error ends the sequence. request.Cursor
// is the first page. Unfinished tasks come by type, then id.
func (t Tasks) All(ctx context.Context, request schema.ListTasks) iter.Seq2[schema.Task, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.Task, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.TaskPage](ctx, t.c, tasksGroup, "list", request)
		if err != nil {
			return nil, "", err
		}
		return page.Tasks, page.Next, nil
	})
}

// Fetch takes tasks to execute. It returns none when none came within request.WaitMS, and when
// the scheduler has no room for another waiting request; then only after the pause that the
// scheduler asks for. A task belongs to this worker from then on, and is reported with its
// ExecID.
func (t Tasks) Fetch(ctx context.Context, request schema.TaskFetch) ([]schema.Task, error) {
	waiting := *t.c
	waiting.opts.Timeout += time.Duration(request.WaitMS) * time.Millisecond
	page, err := change[schema.TaskPage](ctx, &waiting, tasksGroup, "fetch", request)
	if err != nil {
		return nil, err
	}
	if page.RetryAfterMS > 0 && len(page.Tasks) == 0 {
		return nil, pause(ctx, time.Duration(min(page.RetryAfterMS, longestRest.Milliseconds()))*time.Millisecond)
	}
	return page.Tasks, nil
}

// longestRest bounds the pause that a scheduler may ask for.
const longestRest = time.Minute

// Report reports the state of an execution. It may be repeated, because a report that was
// accepted once changes nothing.
func (t Tasks) Report(ctx context.Context, report schema.TaskReport) (*schema.TaskReported, error) {
	return readOne[schema.TaskReported](ctx, t.c, tasksGroup, "report", report)
}
