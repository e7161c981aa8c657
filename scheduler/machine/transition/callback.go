package transition

import (
	"bytes"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Then: what became of an occurrence is pushed, in the same append, into the inbox of
// another plan, callback.<station>/<plan_id>, whose executions hand over one result each.
// That plan is one as any other, so its retries, its place in lists and its end are those
// of the kernel: the first push makes it, and it closes when all is delivered. Only the
// scheduler makes such plans, and pushes to them.

// concludes reports that a result says what became of an occurrence, or that a person
// has to decide it. What was cancelled came to nothing, and so did what was skipped, unless
// it had failed.
func (said *Outcome) concludes() bool {
	switch said.counts() {
	case schema.StateSkipped, schema.StateCancelled:
		return false
	default:
		return !said.Silent && (said.Final || said.stops)
	}
}

// callbackOf returns what p's station says of the callback of a result; nil: there is none.
func callbackOf(p *state.Plan, said *Outcome) *schema.Callback {
	if !said.concludes() || p.Station.Record == nil || p.Station.Record.Callback.Target(said.counts()) == nil {
		return nil
	}
	return p.Station.Record.Callback
}

// A call is a result that somebody is to be told of.
type call struct {
	to   *state.Plan // which delivers it
	item []byte      // the whole result, whatever its plan's log keeps
	kept bool        // the item is the value of the result's row
	anew bool        // what the station says of the callback is new to that plan
	err  error       // nobody will be told
}

// prepareCall sees to it that there is a plan which tells of a result of p, and room in it;
// nil: nobody is to be told. It comes before the result is a row: that plan may have a
// result of its own to write first, and an item says that it is the row before it.
func prepareCall(t *Turn, p *state.Plan, said *Outcome, body []byte) *call {
	if callbackOf(p, said) == nil {
		return nil
	}
	c := &call{item: body, kept: p.Options().Log == schema.LogFull && keepsResult(p, said)}
	if !c.kept {
		c.item = resultBody(t, p, said, schema.LogFull)
	}
	c.to, c.anew, c.err = callbackPlan(t, p, len(c.item))
	return c
}

// callBack pushes a result of p, which was published as out, to the plan that delivers
// it.
func callBack(t *Turn, p *state.Plan, c *call, said *Outcome, out *event.Publish) {
	if c.err != nil {
		t.Tell(p, schema.Notice{
			Kind: schema.NoticeNotCalledBack, Occurrence: said.K, Attempt: said.Attempt, N: said.N, PlanTime: said.Due,
		})
		t.Batch.Effect(event.NotCalledBack{Name: p.Name, N: said.N, Why: c.err})
		return
	}
	q, in := c.to, c.to.Inbox
	if in.Empty() {
		in.At = t.Now // else it is delivered behind those that wait
	}
	in.Sizes.Put(in.Next, len(c.item))
	t.InboxBytes += int64(len(c.item)) + state.ItemOverhead
	if c.kept {
		t.Batch.AppendResultItem(q, in.Next, out)
	} else {
		t.Batch.AppendItem(q, in.Next, out.Enc, c.item)
	}
	in.Next++
	t.Touch(q)
	if t.Changed(q); c.anew {
		t.LookAgain(q) // as any plan with a new definition, in its turn
	}
}

// callbackPlan returns the plan that delivers the callbacks of p, with room for an item
// of size bytes. It is made when there is none; one that is there takes over what the
// station says now, and is anew when that was something else.
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
	if q != nil && q.Done() { // its last word was captured, and a change would close it
		t.Leave(q, schema.NoticeClosed, 0)
	}
	d, err := schema.LoadDefinition(raw)
	if err != nil {
		return nil, false, err
	}
	c := schema.PushItem{Name: name, Definition: d, Trace: p.Traceparent()}
	if q, err = t.PushedTo(&c); err != nil {
		return nil, false, err
	}
	if q.Inbox.Next == 0 {
		t.MakeDurable(q, &c)
		return q, false, nil
	}
	return q, true, t.Replace(q, d)
}

// callbackDefinition is the definition of a plan that delivers callbacks, laid out as those
// that were checked are ([schema.Definition]). Each is delivered alone, and tried again for
// ever: after 1 s, doubling, at most 60 s.
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
