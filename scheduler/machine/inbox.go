package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// push adds an item, and makes the plan if there is none.
func push(t *turn, c command.PushItem) (schema.Pushed, error) {
	p, err := t.PushedTo(&c)
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
			transition.Forget(t.Partition, p, t.Now)
		}
		return schema.Pushed{}, err
	}
	if in.Next == 0 {
		t.MakeDurable(p, &c)
	}
	wasEmpty := in.Empty()
	staysPut := c.Restored && in.AwaitsPush() // no user has pushed since
	if (wasEmpty || in.Mark || c.Retime == schema.RetimeAlways) && !staysPut {
		p.Retime(unit.MomentOf(c.PlanTime), t.Now)
	}
	p.Inbox.Sizes.Put(in.Next, len(value))
	t.InboxBytes += int64(len(value)) + p.ItemOverhead()
	t.Batch.AppendItem(p, in.Next, p.Enc, value)
	in.Next++
	t.Touch(p)
	due := view.Standing(p, t.Now).PlanTime // which is the end of the lock once they are handed over
	t.Evaluate(p)
	s := view.Standing(p, t.Now)
	return schema.Pushed{PlanID: s.PlanID, Station: s.Station, State: s.State, PlanTime: due, Length: in.Length()}, nil
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
	return value, m.part.RoomFor(p, len(value))
}
