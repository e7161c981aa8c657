package machine

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// closedBefore answers a create whose plan has closed by itself a short while ago, if c is the
// request that made it: repeated with keep, or delayed until after a repetition.
func (t *turn) closedBefore(c command.CreatePlan, name schema.PlanName) (schema.Created, bool) {
	keeps := c.Definition.Plan.OnConflict == schema.ConflictKeep
	was := t.Tombstones.Find(name, c.Definition.Raw, t.Now)
	switch {
	case was != nil && was.Kept:
	case was != nil && keeps:
		t.OnKeep(func() { was.Kept = true })
		t.Batch.AppendRow(event.RowDefinition, name, int64(was.At), nil)
	case keeps && c.Task && t.Tombstones.Named(name, t.Now):
	default:
		return schema.Created{}, false
	}
	return schema.Created{PlanID: name.PlanID, Station: name.Station, State: schema.StatusClosed}, true
}

// keep notes that p was created again with keep, by a publisher that has this definition of it.
func (t *turn) keep(p *state.Plan, raw []byte) {
	if !p.Kept && !p.Closing && t.SameDefinition(p, raw) {
		p.Kept = true
		t.Touch(p)
	}
}
