package front

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// History has the finished tasks in the stream of results, because a finished task is its last
// result, which is final. It is read from JetStream, backwards. A leader is asked only to store
// results that it has decided, and whether callbacks are delivered yet.

// storedLate is how much later than its end a task's result may be stored. A list of tasks
// that ended before a moment lacks those whose result took longer.
const storedLate = 10 * time.Minute

// listHistory answers with finished tasks, the newest first.
func (ts tasks) listHistory(r *request, q *schema.ListTasks) error {
	return ts.front.pageBack(r, q.Limit, q.Cursor, func(ctx context.Context, below uint64, limit int) (any, error) {
		h := &history{tasks: ts, ask: q, limit: limit, late: time.Now().Add(lookingTime)}
		if err := h.gather(ctx, below); err != nil {
			return nil, unreadable(err)
		}
		return h.page(ctx, r.enc)
	})
}

// A history looks for one page of finished tasks.
type history struct {
	tasks tasks
	ask   *schema.ListTasks
	limit int
	late  time.Time // when the search for a page ends

	found []*keptResult
	seqs  []uint64 // of found
	bytes int
	// resume is the sequence below which the next page begins; 0: there is none.
	resume uint64
}

// gather reads results below a sequence, 0 being the newest, until a page is full, the time is
// up, or the results end. Conditions that a result alone cannot decide are left to page.
func (h *history) gather(ctx context.Context, below uint64) error {
	search := &readBack{from: h.ask.From, to: h.ask.To, station: h.ask.Type, late: h.late}
	resume, err := h.tasks.front.readBack(ctx, search, below, h.take)
	if resume != 0 {
		h.resume = resume
	}
	return err
}

// take enters a result if it may be a task that is wanted; false when the page is full.
func (h *history) take(s broker.StoredResult) bool {
	v, ok := scanResult(s)
	if !ok || !h.matches(v) {
		return true
	}
	k := &keptResult{run: runOf(v)}
	if err := wire.DecodeLoose(v, &k.result); err != nil || !h.ended(&k.result) {
		return true
	}
	if len(h.found) == h.limit || len(h.found) > 0 && h.bytes+len(s.Body) > maxPage {
		h.resume = h.seqs[len(h.seqs)-1]
		return false
	}
	h.found, h.seqs, h.bytes = append(h.found, k), append(h.seqs, s.Seq), h.bytes+len(s.Body)
	return true
}

// matches applies the filters to a result, the cheapest first, because most results fail one.
func (h *history) matches(v wire.Value) bool {
	final, _ := v.Field("final").Bool()
	return final && task.IsTask(v) && matchesTask(h.ask, v)
}

// matchesTask applies the filters to a result of a task, but for status and times.
func matchesTask(ask *schema.ListTasks, v wire.Value) bool {
	for _, w := range [...]struct{ name, is string }{
		{"station", ask.Type}, {"tenant_id", ask.TenantID}, {"category", ask.Category},
	} {
		if got, _ := v.Field(w.name).Text(); w.is != "" && got != w.is {
			return false
		}
	}
	return ask.Creator == "" || task.CreatorOf(v) == ask.Creator
}

// ended applies the times and the status to a result, as far as it has the status, because
// Success may turn out to be Completed.
func (h *history) ended(r *schema.Result) bool {
	if r.EndTime.Before(h.ask.From) || !h.ask.To.IsZero() && !r.EndTime.Before(h.ask.To) {
		return false
	}
	if len(h.ask.Status) == 0 {
		return true
	}
	return h.wants(task.StatusOf(r, false)) || h.wants(task.StatusOf(r, true))
}

func (h *history) wants(s schema.TaskStatus) bool {
	return len(h.ask.Status) == 0 || slices.Contains(h.ask.Status, string(s))
}

// page writes the results found that are still the last ones of their tasks.
func (h *history) page(ctx context.Context, enc wire.Encoding) (any, error) {
	f := h.tasks.front
	newest, err := f.config.Store.Results().Newest(ctx, h.subjects())
	if err != nil {
		return nil, unreadable(err)
	}
	open, err := h.open(ctx)
	if err != nil {
		return nil, err
	}
	page := newPage(enc, "tasks", h.limit)
	for i, k := range h.found {
		subject := f.config.Space.Result(k.result.Station, k.result.PlanID)
		if seq, ok := newest[subject]; ok && seq != h.seqs[i] || open[i].again {
			continue // it has been tried again
		}
		t, err := h.tasks.finished(ctx, k, open[i].delivering)
		if err != nil {
			return nil, err
		}
		if !h.wants(t.Status) {
			continue
		}
		entry, err := wire.ValueOf(enc, t)
		if err != nil {
			return nil, fmt.Errorf("encode task %s: %w", t.ID, err)
		}
		if !page.add(shorten(entry, f.mostEntry())) {
			return page.end(historyCursor(h.seqs[i] + 1)), nil
		}
	}
	if h.resume == 0 {
		return page.end(""), nil
	}
	return page.end(historyCursor(h.resume)), nil
}

func (h *history) subjects() []string {
	all := make([]string, len(h.found))
	for i, k := range h.found {
		all[i] = h.tasks.front.config.Space.Result(k.result.Station, k.result.PlanID)
	}
	return all
}

// An openEnd is the part of a finished task's state that only the leader has: its callback is
// not delivered yet, or it has been tried again.
type openEnd struct{ delivering, again bool }

// open asks the leaders about the tasks of which a result may not be final: tasks that went
// well, while their type has callbacks that are not delivered, and tasks that failed, because
// an operator may have had them tried again.
func (h *history) open(ctx context.Context) ([]openEnd, error) {
	ends := make([]openEnd, len(h.found))
	calls := map[string]bool{}
	var at []int
	var names []schema.PlanName
	for i, k := range h.found {
		name := schema.PlanName{Station: k.result.Station, PlanID: k.result.PlanID}
		wanted := task.StatusOf(&k.result, false) == schema.TaskFailure
		if k.result.State == schema.StateOK {
			called, known := calls[name.Station]
			if !known {
				var err error
				if called, err = h.tasks.callsBack(ctx, name); err != nil {
					return nil, err
				}
				calls[name.Station] = called
			}
			wanted = called
		}
		if wanted {
			at, names = append(at, i), append(names, name)
		}
	}
	views, err := h.tasks.viewAll(ctx, names)
	if err != nil {
		return nil, err
	}
	for j, i := range at {
		failed := task.StatusOf(&h.found[i].result, false) == schema.TaskFailure
		ends[i] = openEnd{delivering: views[j].Delivering, again: failed && views[j].Plan != nil}
	}
	return ends, nil
}

// callsBack reports that plans of the station of name have undelivered callbacks.
func (ts tasks) callsBack(ctx context.Context, name schema.PlanName) (bool, error) {
	return ts.front.finds(ctx, command.ListPlans{Filter: schema.ListPlans{Station: schema.CallbackPlanOf(name).Station}})
}
