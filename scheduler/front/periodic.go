package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// periodicTasks are the verbs of periodic tasks, which package task translates. A change that
// takes several commands is repeated from the beginning when another change came in between,
// and its order leaves a valid state wherever it breaks off.
type periodicTasks struct{ front *Front }

// A periodic is a periodic task with its plan.
type periodic struct {
	schema.PeriodicTask
	plan                  wire.Value
	incarnation, revision uint64
}

func (p periodic) name() schema.PlanName {
	return schema.PlanName{Station: p.Type, PlanID: task.PeriodicPlanID(p.ID)}
}

// plans returns the plans of a periodic task, the newest first. There are two for as
// long as a task moves to another type, and one at any other time.
func (pts periodicTasks) plans(ctx context.Context, id string) ([]periodic, error) {
	planID := task.PeriodicPlanID(id)
	query := command.ListPlans{IDs: command.IDRange{From: planID, To: planID + "\x00"}, Limit: maxLimit}
	var found []periodic
	for more := true; more; {
		slice, err := pts.front.slice(ctx, pts.front.partition(planID), query)
		if err != nil {
			return nil, err
		}
		for _, v := range slice.Plans {
			if t, ok := task.PeriodicOf(v); ok {
				found = append(found, periodic{t, v.Plan, v.Incarnation, v.State.Revision})
			}
		}
		query.After, more = slice.Last, slice.More
	}
	slices.SortFunc(found, func(a, b periodic) int { return cmp.Compare(b.incarnation, a.incarnation) })
	return found, nil
}

// newest is the first of plans, and an error if there is none.
func (pts periodicTasks) newest(ctx context.Context, id string) (periodic, error) {
	found, err := pts.plans(ctx, id)
	switch {
	case err != nil:
		return periodic{}, err
	case len(found) == 0:
		return periodic{}, &schema.Error{
			Code: schema.CodeNotFound, Field: "id",
			Message: fmt.Sprintf("there is no periodic task %s; periodic_tasks.list shows those that there are", id),
		}
	}
	return found[0], nil
}

// redefine gives plan p the task t, of the same type, unless p has changed since; marked is that of
// [task.PeriodicPlan].
func (pts periodicTasks) redefine(ctx context.Context, p periodic, t schema.PeriodicTask, marked bool, enc wire.Encoding) error {
	d, err := task.PeriodicPlanOver(p.plan, t, marked, enc)
	if err != nil {
		return err
	}
	_, err = ask[schema.Created](ctx, pts.front, pts.front.placeOf(d), command.UpdatePlan{
		Definition: d, Incarnation: p.incarnation, Revision: p.revision,
	})
	return err
}

func (pts periodicTasks) put(r *request) error {
	var q schema.PeriodicPut
	if err := r.decode(&q); err != nil {
		return err
	}
	t, err := task.NewPeriodic(q, pts.front.newID, pts.front.config.Now())
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		var standing schema.PeriodicStanding
		err := retryConflicts(func() (err error) {
			var was *periodic
			standing, was, err = pts.putOnce(ctx, r, t)
			if was != nil {
				standing.Dropped = task.PeriodicDropped(was.PeriodicTask, was.plan, q)
			}
			return err
		})
		if err == nil {
			standing.Warning = pts.claimWarning(ctx, t.Type)
		}
		return standing, task.PeriodicError(err)
	})
}

// putOnce creates t, or replaces the task that has its id, whose status it keeps, and which it
// returns. A task that moves to another type is created there before it is closed here, because a
// trigger that comes from both is better than one that is lost.
func (pts periodicTasks) putOnce(ctx context.Context, r *request, t schema.PeriodicTask) (standing schema.PeriodicStanding, was *periodic, err error) {
	found, err := pts.plans(ctx, t.ID)
	if err != nil {
		return standing, nil, err
	}
	marked := true
	if len(found) > 0 {
		was = &found[0]
		t.Status, t.CreateDate, marked = was.Status, was.CreateDate, task.Marked(was.plan)
	}
	if len(found) > 0 && found[0].Type == t.Type {
		err = pts.redefine(ctx, found[0], t, marked, r.enc)
		found = found[1:]
	} else {
		err = pts.create(ctx, r, t, marked)
	}
	for _, old := range found {
		if err == nil {
			_, err = ask[schema.Standing](ctx, pts.front, pts.front.partition(old.name().PlanID), command.ClosePlan{Name: old.name()})
		}
	}
	return schema.PeriodicStanding{ID: t.ID, Status: t.Status}, was, err
}

func (pts periodicTasks) create(ctx context.Context, r *request, t schema.PeriodicTask, marked bool) error {
	d, err := task.PeriodicPlan(t, marked, r.enc)
	if err != nil {
		return err
	}
	_, err = ask[schema.Created](ctx, pts.front, pts.front.placeOf(d), command.CreatePlan{Definition: d, Trace: r.trace})
	if e, is := errors.AsType[*schema.Error](err); is && e.Code == schema.CodeAlreadyExists {
		return &schema.Error{Code: e.Code, Field: "id", Message: fmt.Sprintf("plan %s/%s exists, which is that of no periodic task; use another id, or plans.remove ends it", d.Plan.Station, d.Plan.PlanID)}
	}
	return err
}

// retryConflicts retries do as long as another change conflicts with it.
func retryConflicts(do func() error) (err error) {
	for range maxMerges {
		err = do()
		if e := (*schema.Error)(nil); !errors.As(err, &e) || e.Code != schema.CodeConflict && e.Code != schema.CodeAlreadyExists {
			return err
		}
	}
	return err
}

// periodicID reads a request that has no fields but the name of a periodic task.
func (r *request) periodicID() (string, error) {
	var q schema.PeriodicName
	if err := r.decode(&q); err != nil {
		return "", err
	}
	return q.ID, checkPeriodicID(q.ID)
}

func checkPeriodicID(id string) error {
	if err := task.CheckPeriodicID(id); err != nil {
		return err
	}
	return nil
}

func (pts periodicTasks) get(r *request) error {
	id, err := r.periodicID()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		p, err := pts.newest(ctx, id)
		return p.PeriodicTask, err
	})
}

func (pts periodicTasks) online(r *request) error  { return pts.setStatus(r, schema.PeriodicOnline) }
func (pts periodicTasks) offline(r *request) error { return pts.setStatus(r, schema.PeriodicOffline) }

// setStatus puts a periodic task on or off line; repeated it changes nothing.
func (pts periodicTasks) setStatus(r *request, status schema.PeriodicStatus) error {
	id, err := r.periodicID()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		standing := schema.PeriodicStanding{ID: id, Status: status}
		var station string
		err := retryConflicts(func() (err error) {
			station, err = pts.setStatusOnce(ctx, id, status)
			return err
		})
		if err == nil && status == schema.PeriodicOnline {
			standing.Warning = pts.claimWarning(ctx, station)
		}
		return standing, err
	})
}

// pulls reports whether the workers of a station claim its executions.
func (pts periodicTasks) pulls(ctx context.Context, station string) (bool, error) {
	s, err := ask[schema.Station](ctx, pts.front, 0, command.GetStation{Station: station})
	if errors.Is(err, schema.CodeNotFound) {
		return false, nil
	}
	return s.Kind == schema.KindPull, err
}

// claimWarning warns that the triggers of a type whose agents fetch need a worker that claims
// them; empty for any other type. An error of the leader is ignored, because the request has
// been carried out by then.
func (pts periodicTasks) claimWarning(ctx context.Context, station string) string {
	if pulls, err := pts.pulls(ctx, station); err != nil || !pulls {
		return ""
	}
	return fmt.Sprintf("agents of type %s fetch, and tasks.fetch gives no triggers: a worker has to claim them with plans.claim.%[1]s, or the type needs kind api", station)
}

// setStatusOnce pauses first and resumes last, so that a task whose change breaks off in between
// is not triggered. A trigger that waits for a worker is dropped when the task is put offline,
// and again when it is put online, because no worker may have taken one since. A plan that a
// person has paused is marked by offline, so that plans.resume does not put the task online. It
// returns the station that is triggered.
func (pts periodicTasks) setStatusOnce(ctx context.Context, id string, status schema.PeriodicStatus) (string, error) {
	p, err := pts.newest(ctx, id)
	if err != nil || p.Status == status && (status == schema.PeriodicOnline || task.Marked(p.plan)) {
		return p.Type, err
	}
	place := pts.front.partition(p.name().PlanID)
	if _, err := ask[schema.Standing](ctx, pts.front, place, command.PausePlan{Name: p.name(), Drops: true}); err != nil {
		return "", err
	}
	t := p.PeriodicTask
	t.Status, t.UpdateDate = status, pts.front.config.Now().UTC().Truncate(time.Millisecond)
	if err := pts.redefine(ctx, p, t, true, p.plan.Encoding()); err != nil || status == schema.PeriodicOffline {
		return p.Type, err
	}
	_, err = ask[schema.Standing](ctx, pts.front, place, command.ResumePlan{Name: p.name()})
	return p.Type, err
}

// delete removes a task and cancels its runs under way.
func (pts periodicTasks) delete(r *request) error {
	id, err := r.periodicID()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		if _, err := pts.newest(ctx, id); err != nil {
			return nil, err
		}
		found, err := pts.plans(ctx, id)
		for _, p := range found {
			_, gone := ask[schema.Standing](ctx, pts.front, pts.front.partition(p.name().PlanID), command.RemovePlan{Name: p.name()})
			if err == nil && !errors.Is(gone, schema.CodeNotFound) {
				err = gone
			}
		}
		return schema.PeriodicDeleted{ID: id, Deleted: true}, err
	})
}

// periodicStatuses are the statuses of periodic tasks, and the plans that may have them.
var periodicStatuses = map[schema.PeriodicStatus]schema.OneOrMany{
	"":                     nil,
	schema.PeriodicNew:     {string(schema.StatusPaused)},
	schema.PeriodicOffline: {string(schema.StatusPaused)},
	schema.PeriodicOnline: {
		string(schema.StatusQueued), string(schema.StatusExecuting), string(schema.StatusRetrying),
		string(schema.StatusPending), string(schema.StatusPlanError),
	},
}

// list answers with periodic tasks by type, then id.
func (pts periodicTasks) list(r *request) error {
	var q schema.ListPeriodic
	if err := r.decode(&q); err != nil {
		return err
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parsePlanCursor)
	if err != nil {
		return err
	}
	plans, known := periodicStatuses[q.Status]
	if !known {
		return r.invalid("status", "status %q is none of new, online, offline", clip(string(q.Status), maxField))
	}
	if q.Type != "" {
		if err := schema.CheckStation(q.Type); err != nil {
			return r.invalid("type", "type %v", err)
		}
	}
	query := command.ListPlans{IDs: task.PeriodicIDs, Filter: schema.ListPlans{
		Station: q.Type, Status: plans, TenantID: q.TenantID, Category: q.Category, Creator: q.Creator,
	}}
	return r.async(func(ctx context.Context) (any, error) {
		return pts.front.planPage(ctx, newPage(r.enc, "periodic_tasks", limit), query, after, func(enc wire.Encoding, v command.PlanView) (wire.Value, error) {
			t, ok := task.PeriodicOf(v)
			if !ok || q.Status != "" && q.Status != t.Status {
				return wire.Value{}, nil
			}
			entry, err := wire.ValueOf(enc, t)
			if err != nil {
				return wire.Value{}, fmt.Errorf("encode periodic task %s: %w", t.ID, err)
			}
			return shorten(entry, pts.front.mostEntry()), nil
		})
	})
}

// logs answers with the log of a task, which has the runs of its plan in the terms of periodic tasks,
// the newest first.
func (pts periodicTasks) logs(r *request) error {
	var q schema.ListPeriodicLogs
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := checkPeriodicID(q.ID); err != nil {
		return err
	}
	before, limit, err := paging(r, q.Limit, q.Cursor, parseRunCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		p, err := pts.newest(ctx, q.ID)
		if err != nil {
			return nil, err
		}
		pulls, err := pts.pulls(ctx, p.Type)
		if err != nil {
			return nil, err
		}
		logged := func(one run) (schema.PeriodicLog, bool) {
			var result schema.Result
			if one.id.incarnation != int64(p.incarnation) {
				return schema.PeriodicLog{}, false // of a deleted task that had the id
			}
			if err := wire.DecodeLoose(one.value, &result); err != nil {
				return schema.PeriodicLog{}, false // not of this service: see gatherRuns
			}
			if pulls {
				return task.ClaimedLog(p.PeriodicTask, &result)
			}
			return task.PeriodicLog(p.PeriodicTask, &result)
		}
		newest := &newestRuns{before: before, limit: limit, wanted: func(one run) bool { _, is := logged(one); return is }}
		if err := pts.front.gatherRuns(ctx, p.name(), newest.add); err != nil {
			return nil, err
		}
		page, next, err := pts.front.runPage(r.enc, "logs", newest, func(one run) (wire.Value, error) {
			l, _ := logged(one)
			return wire.ValueOf(r.enc, l)
		})
		if err != nil {
			return nil, err
		}
		return page.end(next), nil
	})
}
