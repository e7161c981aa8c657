package queue

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Translator has the context of a request: its encoding, its time and trace, and the
// generator of plan ids.
type Translator struct {
	Enc   wire.Encoding
	Now   time.Time
	NewID func() string
	Trace string
	// Batch is how many items a service is sent at a time, at most. 0:
	// [command.DefaultHanded].
	Batch int64
}

// definition is the plan that a queue's first push creates. Its ext has the target for the
// worker.
type definition struct {
	PlanID      string             `json:"plan_id"`
	Station     string             `json:"station"`
	Command     string             `json:"command"`
	Description string             `json:"description"`
	Category    string             `json:"category"`
	PlanType    schema.PlanType    `json:"plan_type"`
	PlanTime    time.Time          `json:"plan_time"`
	Retry       schema.Retry       `json:"retry"`
	Batch       int64              `json:"batch,omitempty"`
	Ext         schema.QueueTarget `json:"ext"`
}

// Push translates queues.push. The error is a *[schema.Error], or has the reasons why the plan
// is invalid.
func (t Translator) Push(q schema.QueuePush) (command.PushItem, error) {
	terms, plan, err := t.plan(&q)
	if err != nil {
		return command.PushItem{}, err
	}
	v, err := wire.ValueOf(t.Enc, plan)
	if err != nil {
		return command.PushItem{}, fmt.Errorf("encode the plan of a queue: %w", err)
	}
	def, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		return command.PushItem{}, fmt.Errorf("make the plan of a queue: %w", err)
	}
	c := command.PushItem{
		Name: schema.PlanName{PlanID: plan.PlanID}, Definition: def, Trace: t.Trace,
		Item: q.Task, PlanTime: q.OnTime, Retime: schema.RetimeNew,
		Exact: terms.Manner != schema.MannerHold, Terms: terms,
	}
	if q.Update == schema.UpdateAlways {
		c.Retime = schema.RetimeAlways
	}
	return c, nil
}

// plan checks a push and makes the definition that goes with it.
func (t Translator) plan(q *schema.QueuePush) (command.InboxTerms, definition, error) {
	terms := command.InboxTerms{Key: q.Key, AbandonAfter: q.AbandonAfter, Data: q.Data}
	due := q.OnTime
	if due.IsZero() || due.Unix() <= 0 {
		due = t.Now
	}
	steady := 0.0
	plan := definition{
		PlanID: PlanID(q.Key), Command: schema.QueueCommand, Description: q.Key, Category: Category,
		PlanType: schema.TypeTime, PlanTime: due, Ext: schema.QueueTarget{Key: q.Key},
		Retry: schema.Retry{Strategy: schema.RetryExponential, Jitter: &steady},
	}
	if !Merges(q.Key) {
		plan.PlanID = t.NewID()
	}
	if err := checkPush(q); err != nil {
		return terms, plan, err
	}
	if err := CheckOnTime(q.OnTime, t.Now); err != nil {
		return terms, plan, err
	}
	switch {
	case q.Service != "" || q.Method != "":
		service := q.Service
		if text, ok := decode(service); ok {
			service = text
		}
		var err error
		if plan.Ext.Method, plan.Ext.Service, err = checkTarget(q.Method, q.Service, service); err != nil {
			return terms, plan, err
		}
		plan.Station, plan.Batch = Station, t.Batch
	case q.Station != "":
		if err := schema.CheckStation(q.Station); err != nil {
			return terms, plan, wrong("station", "station "+err.Error())
		}
		plan.Station, terms.Manner = q.Station, schema.MannerTell
	default:
		plan.Station, terms.Manner = HoldStation, schema.MannerHold
	}
	return terms, plan, nil
}

// mostYears is how far ahead a queue may be due, because a time with one digit too many is
// centuries away, and its queue would hold its items for ever.
const mostYears = 100

// CheckOnTime refuses a time that cannot be meant.
func CheckOnTime(at, now time.Time) error {
	if at.After(now.AddDate(mostYears, 0, 0)) {
		return wrong("ontime", fmt.Sprintf("ontime is in the year %d; at most %d years ahead are taken, in whole Unix seconds", at.UTC().Year(), mostYears))
	}
	return nil
}

func checkPush(q *schema.QueuePush) error {
	if err := checkKey(q.Key); err != nil {
		return err
	}
	switch q.Update {
	case "", schema.UpdateOnce, schema.UpdateAlways:
	default:
		return wrong("update", fmt.Sprintf("update is %q; say always, or once for the time of a new queue only", q.Update))
	}
	nowhere := q.Service == "" && q.Method == "" && q.Station == ""
	switch {
	case q.Task.IsZero():
		return wrong("task", "task is missing; it is the value to be queued, of any kind")
	case !q.Data.IsZero() && q.Data.Kind() != wire.KindMap && q.Data.Kind() != wire.KindNull:
		return wrong("data", "data takes a map, which is merged into the queue's")
	case q.Station != "" && (q.Service != "" || q.Method != ""):
		return wrong("station", "the items go to a station or, with method, to a service; say one of them")
	case nowhere && !Merges(q.Key):
		return wrong("key", "a key that begins with - is never merged and cannot be got; say where its task goes, station or method and service")
	case q.AbandonAfter > 0 && nowhere:
		return wrong("abandon_after", "abandon_after counts from when the items are due, which needs a station, or method and service")
	}
	return schema.CheckAbandonAfter(q.AbandonAfter)
}

const (
	usualTimeout = 60 * time.Second
	// longestTimeout bounds a lock.
	longestTimeout = 24 * time.Hour
)

// Get translates queues.get.
func Get(q schema.QueueGet) (command.ClaimItems, error) {
	c := command.ClaimItems{PlanID: PlanID(q.Key), Number: 1, Timeout: usualTimeout, Random: q.Random}
	if err := checkClaim(q.Key, q.Random); err != nil {
		return c, err
	}
	if q.Number != nil {
		if c.Number = *q.Number; c.Number < 1 {
			return c, wrong("number", fmt.Sprintf("number is %d; it is how many tasks to get, from 1 on", c.Number))
		}
	}
	if q.Timeout != nil {
		if c.Timeout = q.Timeout.Duration(); c.Timeout < time.Millisecond || c.Timeout > longestTimeout {
			return c, wrong("timeout", "timeout takes more than 0 and at most 86400 seconds, after which the lock ends by itself")
		}
	}
	return c, nil
}

// Peek translates queues.peek.
func Peek(q schema.QueueGet) (command.ListItems, error) {
	c := command.ListItems{PlanID: PlanID(q.Key), Number: 1}
	if q.Number != nil {
		c.Number = *q.Number
	}
	if c.Number < 1 {
		return c, wrong("number", fmt.Sprintf("number is %d; it is how many tasks to look at, from 1 on", c.Number))
	}
	return c, checkKey(q.Key)
}

// Complete translates queues.complete.
func Complete(q schema.QueueComplete) (command.CompleteItems, error) {
	c := command.CompleteItems{PlanID: PlanID(q.Key), Number: -1, Random: q.Random}
	if q.Number != nil {
		if c.Number = *q.Number; c.Number < 0 {
			return c, wrong("number", fmt.Sprintf("number is %d; it is how many of the locked tasks are done", c.Number))
		}
	}
	return c, checkClaim(q.Key, q.Random)
}

// Release translates queues.release.
func Release(q schema.QueueRelease) (command.ReleaseItems, error) {
	return command.ReleaseItems{PlanID: PlanID(q.Key), Random: q.Random, PlanTime: q.OnTime}, checkClaim(q.Key, q.Random)
}

// Delete translates queues.delete.
func Delete(q schema.QueueName) (command.DropItems, error) {
	return command.DropItems{PlanID: PlanID(q.Key)}, checkKey(q.Key)
}

// CheckMerged returns why a key does not name one queue, as a *[schema.Error].
func CheckMerged(key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if !Merges(key) {
		return wrong("key", "a key that begins with - is never merged: each of its tasks is a queue of its own, delivered by itself; list shows them")
	}
	return nil
}

func checkClaim(key, random string) error {
	if err := CheckMerged(key); err != nil {
		return err
	}
	switch {
	case random == "":
		return wrong("random", "random is missing; it is any unique text, and names the lock")
	case len(random) > schema.MaxQueueKey:
		return wrong("random", fmt.Sprintf("random has %d bytes; at most %d are taken", len(random), schema.MaxQueueKey))
	}
	return nil
}
