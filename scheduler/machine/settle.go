package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// endTask settles a task by a person's word: cancelled, or processed while it was
// pending. The plan has nothing more to come then, and closes.
func (t *turn) endTask(p *plan, c *schema.EndTask) error {
	if !p.isTask() {
		return noPlan(p.name)
	}
	said := cancelled(schema.ReasonManual)
	said.whole = true
	if c.Processed {
		if p.halt != pending {
			return &schema.Error{
				Code:    schema.CodeConflict,
				Message: fmt.Sprintf("%s is %s, and only a pending task can be processed by a person", p.name, p.status()),
			}
		}
		said.reason = schema.ReasonProcessed
	}
	if c.Remark != "" {
		said.content = wire.Text(p.enc, c.Remark)
	}
	for len(p.open) > 0 {
		o, ended := p.open[0], cancelled(said.reason)
		switch {
		case len(p.open) > 1 && o.trigger == 0:
			o = p.open[1] // its own occurrence ends last
		case len(p.open) == 1 && p.next.K == 0:
			ended = said
		}
		t.endOpen(p, o, ended)
	}
	if p.next.K != 0 {
		t.endUnopened(p, said)
	}
	p.stop(served, halted{})
	return nil
}

// endUnopened settles the occurrence of a task whose time has not come.
func (t *turn) endUnopened(p *plan, said outcome) {
	d := p.next
	p.advance(d, t.now)
	p.n++
	p.realRepet++
	said.n, said.k, said.due = p.n, d.K, d.At
	t.publish(p, said)
}

// endOpen settles o; who is at it is told to stop. The last result is the one that
// settles it, and has what the person said.
func (t *turn) endOpen(p *plan, o *occurrence, said outcome) {
	if o.executing() {
		t.cancelAll(p, o, said)
		return
	}
	p.settle(o, schema.StateCancelled)
	said.n, said.attempt = p.numberOf(o), o.attempt
	t.publish(p, said.of(o))
}

// costOfEndTask bounds what that adds: the result that settles it repeats the task whole,
// so that history has it.
func (p *plan) costOfEndTask(c *schema.EndTask) int {
	cost := p.costOfEnd() + 6*len(c.Remark)
	if p != nil {
		cost += int(p.sharedSize) + p.costOfLastError()
	}
	return cost
}
