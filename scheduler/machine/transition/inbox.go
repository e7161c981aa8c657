package transition

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// PushedTo returns the plan that an item is for, which may be one that MakeDurable has yet to
// make durable.
func (t *Turn) PushedTo(c *command.PushItem) (*state.Plan, error) {
	name := c.Name
	p := t.Find(name)
	d := c.Definition
	switch {
	case p == nil && d == nil:
		return nil, &schema.Error{
			Code: schema.CodeNotFound, Field: "plan_id",
			Message: fmt.Sprintf("there is no plan %s; give the definition to make as plan", name),
		}
	case p == nil:
		return t.makeInbox(c)
	case p.Closing:
		return nil, &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s was closed and its last execution is still under way; push again when it has ended", p.Name),
		}
	case p.Inbox == nil:
		return nil, state.HasNoInbox(p.Name)
	case c.Exact && !p.MadeOf(d):
		return nil, &schema.Error{
			Code: schema.CodeConflict, Field: "key",
			Message: "the queue exists with another method, service or station; use another key, or leave them out",
		}
	case !c.Restored && c.Terms.AbandonAfter > 0 && abandonOf(c) != p.Inbox.Abandon:
		return nil, otherAbandon(p)
	}
	return p, nil
}

func abandonOf(c *command.PushItem) unit.Moment {
	return unit.Moment(0).After(c.Terms.AbandonAfter.Duration())
}

// otherAbandon refuses a push whose abandon_after differs from that of the push that made the
// queue.
func otherAbandon(p *state.Plan) error {
	is := "is never thrown away"
	if after := p.Inbox.Abandon; after > 0 {
		is = fmt.Sprintf("is thrown away after %v", time.Duration(after)*time.Microsecond)
	}
	return &schema.Error{
		Code: schema.CodeConflict, Field: "abandon_after",
		Message: fmt.Sprintf("the queue exists and %s, as its first push demanded; use another key, or leave abandon_after out", is),
	}
}

// makeInbox makes the plan of a first push, in memory only.
func (t *Turn) makeInbox(c *command.PushItem) (*state.Plan, error) {
	d := c.Definition
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := t.Readable(name); err != nil {
		return nil, err
	}
	if err := state.InboxTakes(&d.Plan); err != nil {
		return nil, err
	}
	if t.Plans[name] != nil { // the request is for a merge queue, and another plan has its name
		return nil, state.HasNoInbox(name)
	}
	record, err := state.ReadQueueRecord(c.Terms.Record, &d.Plan, t.Now)
	if err != nil {
		return nil, err
	}
	p := &state.Plan{Name: name, Record: record}
	p.Inbox.Key, p.Inbox.Manner, p.Inbox.Abandon = c.Terms.Key, c.Terms.Manner, abandonOf(c)
	p.Inbox.First, p.Inbox.Next, p.Inbox.Dropped = 0, 0, 0 // its items get numbers when it is durable
	if err := t.Prepare(p, d); err != nil {
		return nil, err
	}
	if !c.Restored {
		if err := t.Admits(p); err != nil {
			t.DropStation(p.Station)
			return nil, err
		}
	}
	t.Enter(p)
	t.IndexInbox(p)
	return p, nil
}

// MakeDurable makes the plan of a first push durable.
func (t *Turn) MakeDurable(p *state.Plan, c *command.PushItem) {
	p.Inbox.First, p.Inbox.Next, p.Inbox.Dropped = 1, 1, 1
	t.Incarnation++
	p.Incarnation = t.Incarnation
	if c.Terms.Record.IsZero() {
		p.Trace = state.TraceOf(c.Trace)
		if s := p.Suspended(); s.Status == schema.StatusPaused {
			s.Attribution = t.Asked
			p.Suspension = &s
		}
	}
	t.Batch.AppendRow(event.RowDefinition, p.Name, 0, p.Raw)
	t.Touch(p)
	t.Notify(p, schema.Notice{Kind: schema.NoticeCreated})
}
