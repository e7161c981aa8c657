package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Replace gives p another definition, whose times are those of before or were settled by who
// calls it.
func (t *Turn) Replace(p *state.Plan, d *schema.Definition) error {
	same := t.SameDefinition(p, d.Raw)
	t.CountPlan(p, -1)
	err := p.Define(d)
	t.CountPlan(p, 1)
	if err != nil {
		return err
	}
	t.OnKeep(func() { t.Definitions.Forget(p) })
	t.Agree(p, &d.Plan)
	p.WithdrawAll() // it is offered again as it now is
	p.Revision++
	p.Kept = p.Kept && same // it was not said of this one
	p.Defined = false
	t.Batch.AppendRow(event.RowDefinition, p.Name, 0, p.Raw)
	t.Touch(p)
	t.Tell(p, schema.Notice{Kind: schema.NoticeUpdated})
	return nil
}
