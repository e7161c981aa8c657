package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Replace gives p another definition, whose times are unchanged or were settled by the caller.
func (t *Turn) Replace(p *state.Plan, d *schema.Definition) error {
	same := t.SameDefinition(p, d.Raw)
	t.CountPlan(p, -1)
	before := p.Rule()
	err := p.Define(d, &t.Calendars.Set)
	t.CountPlan(p, 1)
	if err != nil {
		return err
	}
	t.Relist(p, before)
	t.OnKeep(func() { t.Definitions.Forget(p) })
	t.Agree(p, &d.Plan)
	p.WithdrawAll() // it is offered again with its new definition
	p.Revision++
	p.Kept = p.Kept && same // the mark belongs to the old definition
	p.Defined = false
	t.Batch.AppendRow(event.RowDefinition, p.Name, 0, p.Raw)
	t.Touch(p)
	t.Notify(p, schema.Notice{Kind: schema.NoticeUpdated})
	return nil
}
