package front

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Queues for operators: the list, the state of one, and a push for one that is stuck.

// list answers with queues by station, then plan id.
func (qs queues) list(r *request) error {
	var q schema.ListQueues
	if err := r.decode(&q); err != nil {
		return err
	}
	filter := schema.ListPlans{Station: q.Station, Text: q.Text, Category: queue.Category}
	if err := r.checkList(&filter); err != nil {
		return err
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parsePlanCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		return qs.front.planPage(ctx, newPage(r.enc, "queues", limit), command.ListPlans{Filter: filter}, after, queueEntry)
	})
}

// queueEntry shows a plan as a queue; the zero value if it is none, because the category alone
// does not make it one.
func queueEntry(enc wire.Encoding, view command.PlanView) (wire.Value, error) {
	if view.State.Inbox == nil {
		return wire.Value{}, nil
	}
	return wire.ValueOf(enc, queueOf(&view))
}

func queueOf(view *command.PlanView) schema.Queue {
	in := view.State.Inbox
	out := schema.Queue{
		Key: in.Key, Length: in.Length, Bytes: in.Bytes, Locked: in.Locked, Overwrite: in.Mark, Notified: in.Notified,
		Status: view.State.Status, OnTime: unix(view.State.PlanTime),
		LastState: view.State.LastState, LastTime: unix(view.State.ExecTime),
	}
	out.Errors = in.Errors
	if e := in.LastError; e != nil {
		out.LastError, out.ErrorTime = e.Info, unix(e.EndTime)
	}
	out.Station, _ = view.Plan.Field("station").Text()
	out.PlanID, _ = view.Plan.Field("plan_id").Text()
	out.Method, _ = view.Plan.Field("ext").Field("method").Text()
	out.Service, _ = view.Plan.Field("ext").Field("service").Text()
	return out
}

// info answers with one queue.
func (qs queues) info(r *request) error {
	key, err := r.queueKey()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		view, err := qs.plan(ctx, key)
		if err != nil {
			return nil, err
		}
		return queueOf(&view), nil
	})
}

// retry hands over the items that a queue holds now, without regard to its time or its
// suspension.
func (qs queues) retry(r *request) error {
	key, err := r.queueKey()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		view, err := qs.plan(ctx, key)
		if err != nil {
			return nil, err
		}
		q, partition := queueOf(&view), qs.front.partition(queue.PlanID(key))
		name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
		if q.Status == schema.StatusPlanError || q.Status == schema.StatusPending {
			standing, err := ask[schema.Standing](ctx, qs.front, partition, command.ResetPlan{Name: name})
			return schema.QueueRetried{Key: key, State: standing.State}, err
		}
		if q.Station == queue.HoldStation {
			return nil, &schema.Error{
				Code: schema.CodeConflict, Field: "key",
				Message: fmt.Sprintf("queue %s has neither a service nor a station to hand its items to; get them with queues.get", clip(key, maxField)),
			}
		}
		triggered, err := ask[schema.Triggered](ctx, qs.front, partition, command.TriggerPlan{Name: name})
		return schema.QueueRetried{Key: key, State: triggered.State}, err
	})
}

// queueKey reads a request that has no fields but the key of a queue.
func (r *request) queueKey() (string, error) {
	var q schema.QueueName
	if err := r.decode(&q); err != nil {
		return "", err
	}
	return q.Key, queue.CheckMerged(q.Key)
}

// plan is that of a queue.
func (qs queues) plan(ctx context.Context, key string) (command.PlanView, error) {
	id := queue.PlanID(key)
	view, err := ask[command.PlanView](ctx, qs.front, qs.front.partition(id), command.GetPlan{Name: schema.PlanName{PlanID: id}})
	if errors.Is(err, schema.CodeNotFound) || err == nil && view.State.Inbox == nil {
		return view, &schema.Error{Code: schema.CodeNotFound, Field: "key", Message: fmt.Sprintf("queue %s holds nothing", clip(key, maxField))}
	}
	return view, err
}

// deletesAtMost is how many queues are deleted at a time for one request.
const deletesAtMost = 256

// deleteEach deletes the items that were pushed under a key which is not merged, each a queue
// of its own.
func (qs queues) deleteEach(ctx context.Context, key string) (int64, error) {
	filter := schema.ListPlans{Category: queue.Category, Text: key[:min(len(key), maxSearch)]}
	m := qs.front.mergePlans(ctx, command.ListPlans{Filter: filter, Limit: maxLimit}, schema.PlanName{})
	var deleted atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(deletesAtMost)
	for {
		view, more, err := m.next()
		if err != nil || !more {
			if err = errors.Join(err, group.Wait()); err == nil && m.resume() != "" {
				err = &schema.Error{Code: schema.CodeUnavailable, Message: "there is more under this key than could be looked for in time; delete it again"}
			}
			return deleted.Load(), err
		}
		if in := view.State.Inbox; in == nil || in.Key != key {
			continue
		}
		group.Go(func() (err error) {
			defer func() {
				if fault := recover(); fault != nil {
					err = incident.Refusal(qs.front.incidents.Report(metrics.AtRequest, fault))
				}
			}()
			left, err := ask[command.InboxLeft](ctx, qs.front, qs.front.partition(view.name.PlanID), command.DropItems{PlanID: view.name.PlanID})
			deleted.Add(left.Dropped)
			return err
		})
	}
}
