package front

import (
	"context"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// list answers with the tasks that are not finished, by type, then id, or with those that are.
func (ts tasks) list(r *request) error {
	var q schema.ListTasks
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkTaskList(&q); err != nil {
		return err
	}
	if q.History {
		return ts.listHistory(r, &q)
	}
	if q.Order != "" {
		return ts.listByStatus(r, &q)
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parsePlanCursor)
	if err != nil {
		return err
	}
	l := &taskList{tasks: ts, ask: &q, enc: r.enc, limit: limit, late: time.Now().Add(lookingTime)}
	return r.async(func(ctx context.Context) (any, error) { return l.page(ctx, after) })
}

// checkTaskList checks the filters of tasks.list.
func (r *request) checkTaskList(q *schema.ListTasks) error {
	if q.Type != "" {
		if err := schema.CheckStation(q.Type); err != nil {
			return r.invalid("type", "type %v", err)
		}
	}
	for _, s := range q.Status {
		if err := among(r, schema.TaskStatuses(), "status", schema.TaskStatus(s)); err != nil {
			return err
		}
	}
	if q.Order != "" {
		if err := among(r, []string{schema.OrderStatus}, "order", q.Order); err != nil {
			return err
		}
		if q.History {
			return r.invalid("order", "order is of tasks that are not finished; history has those that ended last first")
		}
	}
	if !q.History && (!q.From.IsZero() || !q.To.IsZero()) {
		return r.invalid("history", "history is not set; from and to are about when tasks ended")
	}
	if !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) {
		return r.invalid("to", "to is not after from; no task ended in between")
	}
	return nil
}

// A taskList looks for one page of tasks that are not finished: those whose plan lives, and
// those that are Completed, of which only the plan is left that delivers their callback.
type taskList struct {
	tasks tasks
	ask   *schema.ListTasks
	enc   wire.Encoding
	limit int
	late  time.Time // when the search for a page ends
}

// A taskEntry is a task as a page shows it.
type taskEntry struct {
	name  schema.PlanName
	value wire.Value
}

// page makes the page behind after.
func (l *taskList) page(ctx context.Context, after schema.PlanName) (any, error) {
	page := newPage(l.enc, "tasks", l.limit)
	rest, err := l.fill(ctx, page, after)
	if err != nil {
		return nil, err
	}
	if rest == nil {
		return page.end(""), nil
	}
	return page.end(planCursor(*rest)), nil
}

// fill enters tasks behind after in a page, and returns the name behind which the others are; nil:
// there are none. The plans of tasks are looked at before those that deliver callbacks: a task that
// is completed meanwhile is found among these.
func (l *taskList) fill(ctx context.Context, page *page, after schema.PlanName) (rest *schema.PlanName, err error) {
	living, end, err := l.living(ctx, after)
	if err != nil {
		return nil, err
	}
	completed, end, err := l.completed(ctx, after, end)
	if err != nil {
		return nil, err
	}
	for _, e := range merged(living, completed) {
		if end != nil && compareNames(e.name, *end) > 0 {
			break
		}
		if !page.add(e.value) {
			return &after, nil
		}
		after = e.name
	}
	return end, nil
}

// merged is both lists in order. A task that is in both is the living one.
func merged(living, completed []taskEntry) []taskEntry {
	all := slices.Concat(living, completed)
	slices.SortStableFunc(all, func(a, b taskEntry) int { return compareNames(a.name, b.name) })
	return slices.CompactFunc(all, func(a, b taskEntry) bool { return a.name == b.name })
}

// living looks for tasks whose plan lives, behind after. All tasks up to end were examined; nil:
// all there are.
func (l *taskList) living(ctx context.Context, after schema.PlanName) (found []taskEntry, end *schema.PlanName, err error) {
	query := command.ListPlans{
		Tasks: true, Limit: l.limit + 1,
		Filter: schema.ListPlans{
			Station: l.ask.Type, TenantID: l.ask.TenantID, Category: l.ask.Category, Creator: l.ask.Creator,
			Status: task.PlanStatuses(l.ask.Status),
		},
	}
	if len(l.ask.Status) > 0 && len(query.Filter.Status) == 0 {
		return nil, nil, nil // no living task has this status
	}
	m := l.tasks.front.mergePlans(ctx, query, after)
	m.short, m.late = true, l.late
	for size := 0; ; {
		view, more, err := m.next()
		switch {
		case err != nil:
			return nil, nil, err
		case !more:
			return found, m.endName(), nil
		case len(found) == l.limit || size > maxPage:
			return found, &after, nil
		}
		after = view.name
		if !l.wants(task.Status(&view.PlanView)) {
			continue
		}
		t, err := l.tasks.living(ctx, schema.TaskName{Type: after.Station, ID: after.PlanID}, &view.PlanView)
		if err != nil {
			return nil, nil, err
		}
		if found, err = l.enter(found, after, &t); err != nil {
			return nil, nil, err
		}
		size += len(found[len(found)-1].value.Raw())
	}
}

// completed looks for tasks that are done and whose callback is not delivered yet, behind after and
// up to upTo, nil: to the end. All tasks up to end were examined.
func (l *taskList) completed(ctx context.Context, after schema.PlanName, upTo *schema.PlanName) (found []taskEntry, end *schema.PlanName, err error) {
	if !l.wants(schema.TaskCompleted) {
		return nil, upTo, nil
	}
	query := command.ListPlans{Limit: l.limit + 1, Filter: schema.ListPlans{Station: schema.CallbackStation + ".>"}}
	if l.ask.Type != "" {
		query.Filter.Station = schema.CallbackPlanOf(schema.PlanName{Station: l.ask.Type}).Station
	}
	m := l.tasks.front.mergePlans(ctx, query, schema.CallbackPlanOf(after))
	size := 0
	for {
		names, err := l.undelivered(m, upTo)
		if err != nil {
			return nil, nil, err
		}
		views, err := l.tasks.viewAll(ctx, names)
		if err != nil {
			return nil, nil, err
		}
		for i, name := range names {
			t, err := l.completedTask(ctx, name, &views[i])
			if err != nil {
				return nil, nil, err
			}
			if t != nil {
				if len(found) == l.limit || size > maxPage {
					return found, &after, nil
				}
				if found, err = l.enter(found, name, t); err != nil {
					return nil, nil, err
				}
				size += len(found[len(found)-1].value.Raw())
			}
			after = name
		}
		if len(names) < l.limit {
			return found, sooner(upTo, m.endName()), nil
		}
		if time.Now().After(l.late) {
			return found, &after, nil
		}
	}
}

// undelivered names the next plans whose callbacks are not delivered yet, up to upTo, as many
// as a page has; fewer: there are no more.
func (l *taskList) undelivered(m *merge, upTo *schema.PlanName) ([]schema.PlanName, error) {
	var names []schema.PlanName
	for len(names) < l.limit {
		view, more, err := m.next()
		if err != nil || !more {
			return names, err
		}
		name, _ := calledBack(view.name)
		if upTo != nil && compareNames(name, *upTo) > 0 {
			break
		}
		names = append(names, name)
	}
	return names, nil
}

// calledBack names the plan whose callbacks the plan of this name delivers.
func calledBack(name schema.PlanName) (schema.PlanName, bool) {
	station, ok := schema.CalledBack(name.Station)
	return schema.PlanName{Station: station, PlanID: name.PlanID}, ok
}

// sooner returns where a list of tasks up to upTo ends, if the search of the plans that deliver
// callbacks ended at end: at the earlier of upTo and the task of end. nil: no end.
func sooner(upTo, end *schema.PlanName) *schema.PlanName {
	if end == nil {
		return upTo
	}
	if of, ok := calledBack(*end); ok && (upTo == nil || compareNames(of, *upTo) < 0) {
		return &of
	}
	return upTo
}

// completedTask is the task of that name, if it is one that is completed, and wanted.
func (l *taskList) completedTask(ctx context.Context, name schema.PlanName, view *command.TaskView) (*schema.Task, error) {
	if view.Plan != nil || !view.Delivering {
		return nil, nil
	}
	last, err := l.tasks.lastResult(ctx, name)
	if err != nil || last == nil || task.StatusOf(&last.result, true) != schema.TaskCompleted || !matchesTask(l.ask, last.value) {
		return nil, err
	}
	t, err := l.tasks.finished(ctx, last, true)
	return &t, err
}

func (l *taskList) wants(s schema.TaskStatus) bool {
	return len(l.ask.Status) == 0 || slices.Contains(l.ask.Status, string(s))
}

func (l *taskList) enter(found []taskEntry, name schema.PlanName, t *schema.Task) ([]taskEntry, error) {
	value, err := wire.ValueOf(l.enc, t)
	if err != nil {
		return nil, err
	}
	return append(found, taskEntry{name, shorten(value, l.tasks.front.mostEntry())}), nil
}

// viewAll asks for the state of tasks, all at once, because each answer may have to wait for
// the same results to be stored.
func (ts tasks) viewAll(ctx context.Context, names []schema.PlanName) ([]command.TaskView, error) {
	return askMany[command.TaskView](ctx, ts.front, len(names), func(i int) (int, command.Command) {
		return ts.front.partition(names[i].PlanID), command.GetTask{Name: names[i]}
	})
}
