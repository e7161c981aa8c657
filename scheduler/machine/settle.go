package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// endTask settles a task by a person's word: cancelled, or processed while it was
// pending. The plan has nothing more to come then, and closes.
func (m *Machine) endTask(p *plan, c *schema.EndTask, now moment, b *Batch) error {
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
		m.endOpen(p, o, ended, now, b)
	}
	if p.next.K != 0 {
		m.endUnopened(p, said, now, b)
	}
	p.stop(served, halted{})
	return nil
}

// endUnopened settles the occurrence of a task whose time has not come.
func (m *Machine) endUnopened(p *plan, said outcome, now moment, b *Batch) {
	d := p.next
	p.advance(d, now)
	p.n++
	p.realRepet++
	said.n, said.k, said.due = p.n, d.K, d.At
	m.publish(p, said, now, b)
}

// endOpen settles o; who is at it is told to stop. The last result is the one that
// settles it, and has what the person said.
func (m *Machine) endOpen(p *plan, o *occurrence, said outcome, now moment, b *Batch) {
	if o.executing() {
		m.cancelAll(p, o, said, now, b)
		return
	}
	p.settle(o, schema.StateCancelled)
	said.n, said.attempt = p.numberOf(o), o.attempt
	m.publish(p, said.of(o), now, b)
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
