package front

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/queue"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// push adds an item to the inbox of a plan, which is made when there is none.
func (f *Front) push(r *request) error {
	var q schema.Push
	if err := r.decode(&q); err != nil {
		return err
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	if of, is := schema.CalledBack(name.Station); is {
		return r.invalid("station", "station %s is the scheduler's own: it delivers the callbacks of %s", name.Station, of)
	}
	if q.Item = r.even(q.Item, "item"); q.Item.IsZero() {
		return r.invalid("item", "item is missing; it is what waits to be handed over, any value")
	}
	if err := schema.CheckRetime(q.Retime); err != nil {
		return err
	}
	c := schema.PushItem{Name: name, Item: q.Item, PlanTime: q.PlanTime, Retime: q.Retime, Trace: r.trace}
	if !q.Plan.IsZero() {
		var err error
		if c.Definition, err = f.inboxDefinition(r, name, q.Plan); err != nil {
			return err
		}
	}
	r.ask(f.partition(name.PlanID), c)
	return nil
}

// even returns a member that may be anything, even null, which decoding takes for absent.
func (r *request) even(v wire.Value, name string) wire.Value {
	if v.IsZero() {
		return r.body.Field(name)
	}
	return v
}

// inboxDefinition checks the plan that a push makes, which need not repeat its name.
func (f *Front) inboxDefinition(r *request, name schema.PlanName, plan wire.Value) (*schema.Definition, error) {
	if plan.Kind() != wire.KindMap {
		return nil, r.invalid("plan", "plan takes a definition, as plans.create does")
	}
	own, err := wire.ValueOf(plan.Encoding(), struct {
		Station string `json:"station"`
	}{name.Station})
	if err != nil {
		return nil, err
	}
	if id, ok := plan.Field("plan_id").Text(); ok && id != name.PlanID {
		return nil, r.invalid("plan.plan_id", "plan_id of the plan is not the one that the push names; leave it out")
	}
	d, err := f.definition(mergeFields(plan, own), schema.ParseOptions{NewID: func() string { return name.PlanID }})
	if err == nil && d.Plan.Station != name.Station {
		return nil, r.invalid("plan.station", "station of the plan is not the one that the push names; leave it out")
	}
	return d, err
}

// The verbs of queues are translated by package queue.

func (f *Front) queuePush(r *request) error {
	var q schema.QueuePush
	if err := r.decode(&q); err != nil {
		return err
	}
	q.Task = r.even(q.Task, "task")
	c, err := queue.Door{Enc: r.enc, Now: f.config.Now(), NewID: f.newID, Trace: r.trace, Batch: int64(f.config.QueueBatch)}.Push(q)
	if err != nil {
		return err
	}
	answerAs(r, c.Name.PlanID, c, func(p schema.Pushed) any {
		return schema.QueuePushed{Key: q.Key, Length: p.Length, OnTime: unix(f.timeOf(p.PlanTime, q.OnTime))}
	})
	return nil
}

func (f *Front) queueGet(r *request) error {
	var q schema.QueueGet
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Get(q)
	if err != nil {
		return err
	}
	return f.talkOfItems(r, q.Key, c.PlanID, c)
}

func (f *Front) queuePeek(r *request) error {
	var q schema.QueueGet
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Peek(q)
	if err != nil {
		return err
	}
	return f.talkOfItems(r, q.Key, c.PlanID, c)
}

// talkOfItems answers with items. They may be large, and in another encoding, so the
// answer is written by a talk and not by the leader.
func (f *Front) talkOfItems(r *request, key, planID string, c schema.Command) error {
	return r.talk(func(ctx context.Context) (any, error) {
		got, err := ask[schema.Claimed](ctx, f, f.partition(planID), c)
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

func (f *Front) queueComplete(r *request) error {
	var q schema.QueueComplete
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Complete(q)
	if err != nil {
		return err
	}
	answerAs(r, c.PlanID, c, func(l schema.InboxLeft) any { return schema.QueueCompleted{Key: q.Key, Length: l.Length} })
	return nil
}

func (f *Front) queueRelease(r *request) error {
	var q schema.QueueRelease
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Release(q)
	if err != nil {
		return err
	}
	if err := queue.CheckOnTime(q.OnTime, f.config.Now()); err != nil {
		return err
	}
	answerAs(r, c.PlanID, c, func(l schema.InboxLeft) any {
		return schema.QueueReleased{Key: q.Key, OnTime: unix(f.timeOf(l.PlanTime, q.OnTime))}
	})
	return nil
}

func (f *Front) queueDelete(r *request) error {
	var q schema.QueueName
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := queue.Delete(q)
	if err != nil {
		return err
	}
	if !queue.Merges(q.Key) {
		return r.talk(func(ctx context.Context) (any, error) { return f.deleteEach(ctx, q.Key) })
	}
	answerAs(r, c.PlanID, c, func(l schema.InboxLeft) any { return schema.QueueDeleted{Key: q.Key, Deleted: l.Dropped} })
	return nil
}

// answerAs has the leader of a queue answer r, in the words of the service.
func answerAs[T any](r *request, planID string, c schema.Command, say func(T) any) {
	r.pass(r.front.partition(planID), c, func(answer any, err error) {
		if err != nil {
			r.fail(ofTask(err))
			return
		}
		t, ok := answer.(T)
		if !ok {
			r.fail(errors.New("the leader answered a queue with something else"))
			return
		}
		r.answer(say(t))
	})
}

// ofTask calls an item what the service calls it.
func ofTask(err error) error {
	var e *schema.Error
	if !errors.As(err, &e) || e.Field != "item" {
		return err
	}
	named := *e
	named.Field = "task"
	return &named
}

// timeOf is when a queue is due; of one that tells nobody, when it would be: at the time
// that was asked for, or now.
func (f *Front) timeOf(due, asked time.Time) time.Time { return cmp.Or(due, asked, f.config.Now()) }

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
