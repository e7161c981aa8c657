package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

// deliverNow makes all waiting items due at once, for plans.trigger of a plan with an inbox.
func (t *turn) deliverNow(p *state.Plan) (schema.Triggered, error) {
	switch {
	case p.IsPaused():
		return schema.Triggered{}, &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s is paused; resume it, and its items are handed over in their time", p.Name),
		}
	case p.Executing():
		return schema.Triggered{}, &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("items of %s are being handed over; it goes on by itself when that has ended", p.Name),
		}
	case p.Inbox.Manner == schema.MannerHold:
		return schema.Triggered{}, &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s has no delivery: workers claim its items when they like", p.Name),
		}
	}
	p.Inbox.At, p.Inbox.Wait = t.Now, state.NoWait
	for _, o := range p.Open {
		o.At, o.Wait = t.Now, state.NoWait
	}
	t.Touch(p)
	t.Evaluate(p)
	return schema.Triggered{PlanID: p.Name.PlanID, Station: p.Name.Station, State: view.Standing(p, t.Now).State, N: p.N}, nil
}
