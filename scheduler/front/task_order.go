package front

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// byStatus are the statuses that tasks which are not finished have, in the order of a list for
// people: first those that wait for a person, then those in trouble, then those that go on.
var byStatus = []schema.TaskStatus{
	schema.TaskPending, schema.TaskError, schema.TaskFailure, schema.TaskExecuting, schema.TaskNew, schema.TaskCompleted,
}

// A taskPlace is where a page of a list by status ends: behind a name, among the tasks of the
// status of this index.
type taskPlace struct {
	status int
	name   schema.PlanName
}

func taskCursor(at taskPlace) string {
	place := string(byStatus[at.status])
	if at.name != (schema.PlanName{}) {
		place += " " + at.name.String()
	}
	return sealCursor('t', place)
}

func parseTaskCursor(cursor string) (at taskPlace, ok bool) {
	place, ok := openCursor('t', cursor)
	if !ok || place == "" {
		return at, ok
	}
	status, name, named := strings.Cut(place, " ")
	at.status = slices.Index(byStatus, schema.TaskStatus(status))
	if at.status < 0 || !named {
		return at, at.status >= 0
	}
	var err error
	at.name, err = schema.ParsePlanName(name)
	return at, err == nil
}

// listByStatus answers with the tasks that are not finished, those of one status behind those of
// the one before, because a person looks for what waits for a person.
func (ts tasks) listByStatus(r *request, q *schema.ListTasks) error {
	at, limit, err := paging(r, q.Limit, q.Cursor, parseTaskCursor)
	if err != nil {
		return err
	}
	late := time.Now().Add(lookingTime)
	return r.async(func(ctx context.Context) (any, error) {
		page := newPage(r.enc, "tasks", limit)
		for ; at.status < len(byStatus); at = (taskPlace{status: at.status + 1}) {
			status := string(byStatus[at.status])
			if len(q.Status) > 0 && !slices.Contains(q.Status, status) {
				continue
			}
			if page.count == limit {
				return page.end(taskCursor(at)), nil
			}
			of := *q
			of.Status = schema.OneOrMany{status}
			l := &taskList{tasks: ts, ask: &of, enc: r.enc, limit: limit - page.count, late: late}
			rest, err := l.fill(ctx, page, at.name)
			if err != nil {
				return nil, err
			}
			if rest != nil {
				return page.end(taskCursor(taskPlace{at.status, *rest})), nil
			}
		}
		return page.end(""), nil
	})
}
