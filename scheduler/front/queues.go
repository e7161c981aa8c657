package front

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// queues are the verbs of queues, which package queue translates.
type queues struct{ front *Front }

func (qs queues) push(r *request) error {
	var q schema.QueuePush
	if err := r.decode(&q); err != nil {
		return err
	}
	q.Task = r.even(q.Task, "task")
	c, err := queue.Translator{Enc: r.enc, Now: qs.front.config.Now(), NewID: qs.front.newID, Trace: r.trace, Batch: int64(qs.front.config.QueueBatch)}.Push(q)
	if err != nil {
		return err
	}
	r.pass(qs.front.partition(c.Name.PlanID), c, func(answer any, err error) {
		p, err := answered[schema.Pushed](answer, err)
		if err != nil {
			r.fail(err)
			return
		}
		pushed := schema.QueuePushed{Key: q.Key, Length: p.Length, OnTime: unix(qs.timeOf(p.PlanTime, q.OnTime))}
		if p.Station != queue.HoldStation || p.Length > 1 || r.async(func(ctx context.Context) (any, error) {
			pushed.Warning = qs.targetForgotten(ctx, c.Name.PlanID)
			return pushed, nil
		}) != nil {
			r.answer(pushed)
		}
	})
	return nil
}

// targetForgotten warns of a new queue without a target, if an earlier one of its key had a service:
// a queue is gone when it is empty, and its target with it.
func (qs queues) targetForgotten(ctx context.Context, planID string) string {
	if _, err := qs.front.config.Store.Results().Last(ctx, queue.Station, planID); err != nil {
		return "" // there was none, or it is not known
	}
	return "a queue of this key handed its tasks to a service before, which was forgotten with the last of them; this push names none, so the task is kept until queues.get: " +
		"to have it handed over, delete the queue, and push with the service"
}

func (qs queues) get(r *request) error {
	var q schema.QueueGet
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Get(q)
	if err != nil {
		return err
	}
	return qs.asyncItems(r, q.Key, c.PlanID, c)
}

func (qs queues) peek(r *request) error {
	var q schema.QueueGet
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Peek(q)
	if err != nil {
		return err
	}
	return qs.asyncItems(r, q.Key, c.PlanID, c)
}

// asyncItems answers with items, from an async handler and not from the leader's callback,
// because they may be large and in another encoding.
func (qs queues) asyncItems(r *request, key, planID string, c command.Command) error {
	return r.async(func(ctx context.Context) (any, error) {
		got, err := ask[command.Claimed](ctx, qs.front, qs.front.partition(planID), c)
		if err != nil {
			return nil, err
		}
		out := schema.QueueGot{Key: key, Tasks: got.Items, Data: got.Data, Length: got.Length}
		if out.Tasks == nil {
			out.Tasks = []wire.Value{}
		}
		if out.Data.IsZero() {
			out.Data = wire.Trust(r.enc, emptyMap[r.enc])
		}
		return out, nil
	})
}

func (qs queues) complete(r *request) error {
	var q schema.QueueComplete
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Complete(q)
	if err != nil {
		return err
	}
	answerAs(r, c.PlanID, c, func(l command.InboxLeft) any { return schema.QueueCompleted{Key: q.Key, Length: l.Length} })
	return nil
}

func (qs queues) release(r *request) error {
	var q schema.QueueRelease
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Release(q)
	if err != nil {
		return err
	}
	if err := queue.CheckOnTime(q.OnTime, qs.front.config.Now()); err != nil {
		return err
	}
	answerAs(r, c.PlanID, c, func(l command.InboxLeft) any {
		return schema.QueueReleased{Key: q.Key, OnTime: unix(qs.timeOf(l.PlanTime, q.OnTime))}
	})
	return nil
}

func (qs queues) delete(r *request) error {
	var q schema.QueueName
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Delete(q)
	if err != nil {
		return err
	}
	if !queue.Merges(q.Key) {
		return r.async(func(ctx context.Context) (any, error) {
			deleted, err := qs.deleteEach(ctx, q.Key)
			return schema.QueueDeleted{Key: q.Key, Deleted: deleted, DryRun: r.dry}, err
		})
	}
	answerAs(r, c.PlanID, c, func(l command.InboxLeft) any {
		return schema.QueueDeleted{Key: q.Key, Deleted: l.Dropped, DryRun: r.dry}
	})
	return nil
}

// answerAs has the leader of a queue answer r, in the terms of the service.
func answerAs[T any](r *request, planID string, c command.Command, answerOf func(T) any) {
	r.pass(r.front.partition(planID), c, func(answer any, err error) {
		t, err := answered[T](answer, err)
		if err != nil {
			r.fail(err)
			return
		}
		r.answer(answerOf(t))
	})
}

// answered is the leader's answer to a verb of queues.
func answered[T any](answer any, err error) (t T, _ error) {
	if err != nil {
		return t, ofTask(err)
	}
	t, ok := answer.(T)
	if !ok {
		return t, errors.New("the leader answered a queue with something else")
	}
	return t, nil
}

// ofTask renames the item of an error to a task, as the service calls it.
func ofTask(err error) error {
	var e *schema.Error
	if !errors.As(err, &e) || e.Field != "item" {
		return err
	}
	named := *e
	named.Field = "task"
	return &named
}

// timeOf is when a queue is due. For a queue that has no time, because no consumer is
// notified, it is the time that was asked for, or now.
func (qs queues) timeOf(due, asked time.Time) time.Time {
	return cmp.Or(due, asked, qs.front.config.Now())
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
