package client

import (
	"context"
	"iter"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	tasksGroup     = "tasks"
	taskTypesGroup = "task_types"
)

// PutTaskType makes a task type, or replaces one. The secret of its callbacks is stored
// apart; one that is put without it keeps what it has.
func (c *Client) PutTaskType(ctx context.Context, t *schema.TaskType) (*schema.TaskTypePut, error) {
	return change[schema.TaskTypePut](ctx, c, taskTypesGroup, "put", t)
}

// TaskType returns a task type as it was put, without its secret.
func (c *Client) TaskType(ctx context.Context, code string) (*schema.TaskType, error) {
	return readOne[schema.TaskType](ctx, c, taskTypesGroup, "get", schema.TaskTypeName{Code: code})
}

// TaskTypes returns all task types by code, page by page, beginning at request's cursor;
// an error ends the sequence.
func (c *Client) TaskTypes(ctx context.Context, request schema.ListTaskTypes) iter.Seq2[schema.TaskType, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.TaskType, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.TaskTypePage](ctx, c, taskTypesGroup, "list", request)
		if err != nil {
			return nil, "", err
		}
		return page.TaskTypes, page.Next, nil
	})
}

// DeleteTaskType takes a task type away that has no tasks which are not finished; else
// the error is a conflict.
func (c *Client) DeleteTaskType(ctx context.Context, code string) (*schema.TaskTypeDeleted, error) {
	return change[schema.TaskTypeDeleted](ctx, c, taskTypesGroup, "delete", schema.TaskTypeName{Code: code})
}

// SubmitTask submits a task. To say it again when the answer was lost, give it an ID and
// on_conflict keep.
func (c *Client) SubmitTask(ctx context.Context, t schema.TaskSubmit) (*schema.TaskSubmitted, error) {
	return change[schema.TaskSubmitted](ctx, c, tasksGroup, "submit", t)
}

// SubmitTasks submits at most 1,000 tasks at a time, whose message the NATS server has to
// take. One that is wrong does not stop the others: its answer, at its place, has an
// error.
func (c *Client) SubmitTasks(ctx context.Context, tasks []schema.TaskSubmit) ([]schema.TaskSubmitted, error) {
	batch := struct {
		Tasks []schema.TaskSubmit `json:"tasks"`
	}{tasks}
	answer, err := change[schema.TasksSubmitted](ctx, c, tasksGroup, "submit", batch)
	if err != nil {
		return nil, err
	}
	return answer.Tasks, nil
}

// Task returns a task, living or finished.
func (c *Client) Task(ctx context.Context, name schema.TaskName) (*schema.Task, error) {
	return readOne[schema.Task](ctx, c, tasksGroup, "get", name)
}

// Tasks returns tasks, page by page, beginning at request's cursor; an error ends the
// sequence. The living ones come by type, then id.
func (c *Client) Tasks(ctx context.Context, request schema.ListTasks) iter.Seq2[schema.Task, error] {
	return pages(request.Cursor, func(cursor string) ([]schema.Task, string, error) {
		request.Cursor = cursor
		page, err := readOne[schema.TaskPage](ctx, c, tasksGroup, "list", request)
		if err != nil {
			return nil, "", err
		}
		return page.Tasks, page.Next, nil
	})
}

// FetchTasks takes tasks to execute; none when none came within request's wait, or when more
// wait than have room, and then only when it is time to come again. Each is this worker's
// from then on, and reported with its ExecID.
func (c *Client) FetchTasks(ctx context.Context, request schema.TaskFetch) ([]schema.Task, error) {
	waiting := *c
	if request.WaitMS != nil {
		waiting.opts.Timeout += time.Duration(*request.WaitMS) * time.Millisecond
	}
	page, err := change[schema.TaskPage](ctx, &waiting, tasksGroup, "fetch", request)
	if err != nil {
		return nil, err
	}
	if page.RetryAfterMS > 0 && len(page.Tasks) == 0 {
		return nil, pause(ctx, time.Duration(min(page.RetryAfterMS, longestRest.Milliseconds()))*time.Millisecond)
	}
	return page.Tasks, nil
}

// longestRest bounds when a scheduler may say to come again.
const longestRest = time.Minute

// ReportTask says what became of an execution. It may be said again: what has been
// accepted once changes nothing then.
func (c *Client) ReportTask(ctx context.Context, report schema.TaskReport) (*schema.TaskReported, error) {
	return readOne[schema.TaskReported](ctx, c, tasksGroup, "report", report)
}

// CancelTask ends a task; whoever executes it is told to stop.
func (c *Client) CancelTask(ctx context.Context, end schema.TaskEnd) (*schema.TaskStanding, error) {
	return change[schema.TaskStanding](ctx, c, tasksGroup, "cancel", end)
}

// ProcessTask ends a pending task, which a person has seen to.
func (c *Client) ProcessTask(ctx context.Context, end schema.TaskEnd) (*schema.TaskStanding, error) {
	return change[schema.TaskStanding](ctx, c, tasksGroup, "process", end)
}

// RetryTask has a task executed again that is pending or a failure, with no error counted.
func (c *Client) RetryTask(ctx context.Context, name schema.TaskName) (*schema.TaskStanding, error) {
	return change[schema.TaskStanding](ctx, c, tasksGroup, "retry", name)
}
