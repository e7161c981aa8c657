package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// endTask settles a task by a person's word: cancelled, or processed while it was
// pending. The plan has nothing more to come then, and closes.
func (t *turn) endTask(p *state.Plan, c *schema.EndTask) error {
	if !p.IsTask() {
		return noPlan(p.Name)
	}
	said := cancelled(schema.ReasonManual)
	said.whole = true
	if c.Processed {
		if p.Halt != state.Pending {
			return &schema.Error{
				Code:    schema.CodeConflict,
				Message: fmt.Sprintf("%s is %s, and only a pending task can be processed by a person", p.Name, p.Status()),
			}
		}
		said.reason = schema.ReasonProcessed
	}
	if c.Remark != "" {
		said.content = wire.Text(p.Enc, c.Remark)
	}
	for len(p.Open) > 0 {
		o, ended := p.Open[0], cancelled(said.reason)
		switch {
		case len(p.Open) > 1 && o.Trigger == 0:
			o = p.Open[1] // its own occurrence ends last
		case len(p.Open) == 1 && p.Next.K == 0:
			ended = said
		}
		t.endOpen(p, o, ended)
	}
	if p.Next.K != 0 {
		t.endUnopened(p, said)
	}
	p.Stop(state.Served, state.Halted{})
	return nil
}

// endUnopened settles the occurrence of a task whose time has not come.
func (t *turn) endUnopened(p *state.Plan, said outcome) {
	d := p.Next
	p.Advance(d, t.now)
	p.N++
	p.RealRepet++
	said.n, said.k, said.due = p.N, d.K, d.At
	t.publish(p, said)
}

// endOpen settles o; who is at it is told to stop. The last result is the one that
// settles it, and has what the person said.
func (t *turn) endOpen(p *state.Plan, o *state.Occurrence, said outcome) {
	if o.Executing() {
		t.cancelAll(p, o, said)
		return
	}
	p.Settle(o, schema.StateCancelled)
	said.n, said.attempt = p.NumberOf(o), o.Attempt
	t.publish(p, said.of(o))
}
