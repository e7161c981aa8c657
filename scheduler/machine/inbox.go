package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// push adds an item, and makes the plan if there is none.
func (t *turn) push(c schema.PushItem) (schema.Pushed, error) {
	p, err := t.pushedTo(&c)
	if err != nil {
		return schema.Pushed{}, err
	}
	in := p.Inbox
	value, err := t.m.itemFor(p, c.Item)
	if err == nil {
		err = in.Merge(p.Enc, c.Terms.Data)
	}
	if err != nil {
		if in.Next == 0 { // it was made for this item
			forget(t.Partition, p)
		}
		return schema.Pushed{}, err
	}
	if in.Next == 0 {
		t.begin(p, &c)
	}
	wasEmpty := in.Empty()
	if wasEmpty || in.Mark || c.Retime == schema.RetimeAlways {
		p.Retime(max(unit.MomentOf(c.PlanTime), t.now))
	}
	p.Inbox.Sizes.Put(in.Next, len(value))
	t.inboxBytes += int64(len(value)) + state.ItemOverhead
	t.b.AppendItem(p, in.Next, p.Enc, value)
	in.Next++
	t.touch(p)
	due := p.Standing(t.now).PlanTime // which is the end of the lock once they are handed over
	t.look(p)
	s := p.Standing(t.now)
	return schema.Pushed{PlanID: s.PlanID, Station: s.Station, State: s.State, PlanTime: due, Length: in.Length()}, nil
}

// pushedTo returns the plan that an item is for, which may be one that begin has yet to
// make durable.
func (t *Turn) pushedTo(c *schema.PushItem) (*state.Plan, error) {
	name := c.Name
	p := t.find(name)
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
	}
	return p, nil
}

// makeInbox makes the plan of a first push, in memory only.
func (t *Turn) makeInbox(c *schema.PushItem) (*state.Plan, error) {
	d := c.Definition
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := t.readable(name); err != nil {
		return nil, err
	}
	if !state.InboxType(&d.Plan) {
		return nil, state.NotInboxType()
	}
	if t.plans[name] != nil { // a merge queue was asked for, whose plan has the name of another
		return nil, state.HasNoInbox(name)
	}
	p := &state.Plan{Name: name}
	p.Inbox = &state.Inbox{
		Key: c.Terms.Key, Manner: c.Terms.Manner,
		Abandon: unit.Moment(0).After(c.Terms.AbandonAfter.Duration()),
	}
	p.Accepted = t.now / 1000 * 1000
	if err := p.Define(d); err != nil {
		return nil, err
	}
	p.Station = t.station(name.Station)
	t.agree(p, &d.Plan)
	err := p.TooLarge()
	if err == nil && !c.Restored {
		err = t.admits(p)
	}
	if err != nil {
		t.dropStation(p.Station)
		return nil, err
	}
	t.enter(p)
	t.indexInbox(p)
	return p, nil
}

// begin makes the plan of a first push durable.
func (t *Turn) begin(p *state.Plan, c *schema.PushItem) {
	p.Inbox.First, p.Inbox.Next, p.Inbox.Dropped = 1, 1, 1
	t.incarnation++
	p.Incarnation, p.Revision, p.Trace = t.incarnation, 1, state.TraceOf(c.Trace)
	if c.Definition.Plan.Paused {
		p.Halt = state.Paused
	}
	t.b.AppendRow(event.RowDefinition, p.Name, 0, p.Raw)
	t.touch(p)
	t.tell(p, schema.Notice{Kind: schema.NoticeCreated})
}

// indexInbox makes p known by its id alone, as merge queues are asked for. A plan that
// delivers callbacks has the id of another.
func (m *Partition) indexInbox(p *state.Plan) {
	if _, calls := schema.CalledBack(p.Name.Station); p.Inbox != nil && !calls {
		m.inboxes[p.Name.PlanID] = p
	}
}

// itemFor returns the bytes of an item as p keeps them, or refuses it.
func (m *Machine) itemFor(p *state.Plan, item wire.Value) ([]byte, error) {
	value := item.AppendTo(nil, p.Enc)
	if len(value) > schema.MaxItemBytes {
		return nil, &schema.Error{
			Code: schema.CodeTooLarge, Field: "item",
			Message: fmt.Sprintf("the item has %d bytes; at most %d are taken", len(value), schema.MaxItemBytes),
		}
	}
	return value, m.roomFor(p, len(value))
}

// roomFor refuses an item of size bytes for p, which may be nil, when too many wait.
func (m *Partition) roomFor(p *state.Plan, size int) error {
	switch {
	case p != nil && p.Inbox != nil && p.Inbox.Length() >= schema.MaxItems:
		return &schema.Error{
			Code:    schema.CodeTooLarge,
			Message: fmt.Sprintf("%d items wait at %s, and no more are taken before some are completed", p.Inbox.Length(), p.Name),
		}
	case m.config.InboxBytes > 0 && m.inboxBytes+int64(size)+state.ItemOverhead > m.config.InboxBytes:
		return &schema.Error{
			Code:    schema.CodeUnavailable,
			Message: "the store of queued items is full; push again when some are completed, or give stream PLAN_QUEUES more bytes",
		}
	}
	return nil
}
