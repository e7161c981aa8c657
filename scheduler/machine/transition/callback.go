package transition

import (
	"bytes"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The result of an occurrence is then pushed, in the same append, into the inbox of another plan,
// callback.<station>/<plan_id>, whose executions hand over one result each. That plan is a plan
// like any other, so the kernel's rules for retries, listings and the end apply: the first push
// creates it, and it closes when every item is delivered. Only the scheduler creates such plans
// and pushes to them.

// concludes reports that a result is the last of its occurrence, or that the occurrence now
// waits for a person. Cancelled and skipped occurrences have no callback, because no work was
// concluded, except a skipped one that had failed.
func (res *Outcome) concludes() bool {
	switch res.counts() {
	case schema.StateSkipped, schema.StateCancelled:
		return false
	default:
		return !res.Silent && (res.Final || res.stops)
	}
}

// callbackOf returns the callback that p's station has for a result, nil if it has none.
func callbackOf(p *state.Plan, res *Outcome) *schema.Callback {
	if !res.concludes() || p.Station.Record == nil || p.Station.Record.Callback.Target(res.counts()) == nil {
		return nil
	}
	return p.Station.Record.Callback
}

// A call is a result with a callback to deliver.
type call struct {
	to   *state.Plan // the plan that delivers it
	item []byte      // the whole result, in every log mode of its plan
	kept bool        // the item is the value of the result's row
	anew bool        // the callback of the station differs from that plan's definition
	err  error       // the callback cannot be delivered
}

// prepareCall ensures that the plan which delivers the callback of a result exists and has room
// for it; nil if the result has no callback. It runs before the result becomes a row, because
// that plan may have a result of its own to write first, and an item refers to the row directly
// before it.
func prepareCall(t *Turn, p *state.Plan, res *Outcome, body []byte) *call {
	if callbackOf(p, res) == nil {
		return nil
	}
	c := &call{item: body, kept: p.Options().Log == schema.LogFull && keepsResult(p, res)}
	if !c.kept {
		c.item = resultBody(t, p, res, schema.LogFull)
	}
	c.to, c.anew, c.err = callbackPlan(t, p, len(c.item))
	return c
}

// callBack pushes a result of p, published as out, to the plan that delivers it.
func callBack(t *Turn, p *state.Plan, c *call, res *Outcome, out *event.Publish) {
	if c.err != nil {
		t.Notify(p, schema.Notice{
			Kind: schema.NoticeNotCalledBack, Occurrence: res.K, Attempt: res.Attempt, N: res.N, PlanTime: res.Due,
		})
		t.Batch.Effect(event.NotCalledBack{Name: p.Name, N: res.N, Why: c.err})
		return
	}
	q, in := c.to, c.to.Inbox
	if in.Empty() {
		in.At, in.Wait = t.Now, state.NoWait // else it is delivered after the items ahead of it
	}
	in.Sizes.Put(in.Next, len(c.item))
	t.InboxBytes += int64(len(c.item)) + q.ItemOverhead()
	if c.kept {
		t.Batch.AppendResultItem(q, in.Next, out)
	} else {
		t.Batch.AppendItem(q, in.Next, out.Enc, c.item)
	}
	in.Next++
	t.Touch(q)
	if t.Changed(q); c.anew {
		t.EvaluateLater(q) // in its turn, like any plan with a new definition
	}
}

// callbackPlan returns the plan that delivers the callbacks of p, with room for an item of size
// bytes, and creates it if there is none. An existing plan takes over the station's present
// callback; anew reports that this changed its definition.
func callbackPlan(t *Turn, p *state.Plan, size int) (q *state.Plan, anew bool, err error) {
	name := schema.CallbackPlanOf(p.Name)
	if q = t.Plans[name]; q != nil {
		t.Save(q)
	}
	if err := t.RoomFor(q, size); err != nil {
		return nil, false, err
	}
	enc := p.Enc
	if q != nil {
		enc = q.Enc
	}
	raw, err := callbackDefinition(name, p.Station.Record.Callback, enc)
	if err != nil {
		return nil, false, err
	}
	if q != nil && q.Inbox != nil && !q.Closing && bytes.Equal(raw, q.Raw) {
		return q, false, nil
	}
	if q != nil && q.Done() { // its last reply was captured, so that a change would close it
		t.Leave(q, schema.NoticeClosed, 0)
	}
	d, err := schema.LoadDefinition(raw)
	if err != nil {
		return nil, false, err
	}
	c := command.PushItem{Name: name, Definition: d, Trace: p.Traceparent()}
	if q, err = t.PushedTo(&c); err != nil {
		return nil, false, err
	}
	if q.Inbox.Next == 0 {
		t.MakeDurable(q, &c)
		return q, false, nil
	}
	return q, true, t.Replace(q, d)
}

// callbackDefinition is the definition of a plan that delivers callbacks, with its members in
// the order of checked definitions ([schema.Definition]). Each item is delivered alone and
// retried for ever: after 1 s, doubling, at most 60 s.
func callbackDefinition(name schema.PlanName, to *schema.Callback, enc wire.Encoding) ([]byte, error) {
	steady := 0.0
	return wire.Marshal(enc, struct {
		PlanID  string           `json:"plan_id"`
		Station string           `json:"station"`
		Command string           `json:"command"`
		Ext     *schema.Callback `json:"ext"`
		Retry   schema.Retry     `json:"retry"`
		Batch   int64            `json:"batch"`
	}{
		name.PlanID, name.Station, schema.CallbackCommand, to,
		schema.Retry{Strategy: schema.RetryExponential, Jitter: &steady}, 1,
	})
}
