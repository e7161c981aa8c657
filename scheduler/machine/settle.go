package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// endTask settles a task as cancelled by a person, or as processed while it was pending. The plan
// has no further occurrence then, and closes.
func endTask(t *turn, p *state.Plan, c command.EndTask) error {
	if !p.IsTask() {
		return noPlan(p.Name)
	}
	because := transition.Because(&t.Turn, p, schema.ReasonManual)
	outcome := transition.Cancelled(schema.ReasonManual, because)
	outcome.Whole = true
	if c.Processed {
		if p.Suspended().Status != schema.StatusPending {
			return &schema.Error{
				Code:    schema.CodeConflict,
				Message: fmt.Sprintf("%s is %s, and only a pending task can be processed by a person", p.Name, p.Status()),
			}
		}
		outcome.Reason = schema.ReasonProcessed
	}
	if c.Remark != "" {
		outcome.Content = wire.Text(p.Enc, c.Remark)
	}
	for len(p.Open) > 0 {
		o, ended := p.Open[0], transition.Cancelled(outcome.Reason, because)
		switch {
		case len(p.Open) > 1 && o.Trigger == 0:
			o = p.Open[1] // its own occurrence ends last
		case len(p.Open) == 1 && p.Next.K == 0:
			ended = outcome
		}
		t.endOpen(p, o, ended)
	}
	if p.Next.K != 0 {
		t.endUnopened(p, outcome)
	}
	p.Suspension = nil
	return nil
}

// cancelUnopened ends a task whose time has not come as cancelled, because without a result it would
// be in no history, as if it had never been submitted.
func (t *turn) cancelUnopened(p *state.Plan) {
	if p.Next.K != 0 && p.IsTask() {
		t.endUnopened(p, transition.Cancelled(schema.ReasonManual, transition.Because(&t.Turn, p, schema.ReasonManual)))
	}
}

// endUnopened settles the occurrence of a task whose time has not come.
func (t *turn) endUnopened(p *state.Plan, outcome transition.Outcome) {
	d := p.Next
	p.Advance(d, t.Now)
	p.N++
	p.RealRepet++
	outcome.N, outcome.K, outcome.Due = p.N, d.K, d.At
	t.Publish(p, outcome)
}

// endOpen settles o, and has its workers notified to stop. The last result is the one that
// settles it, and has the person's remark.
func (t *turn) endOpen(p *state.Plan, o *state.Occurrence, outcome transition.Outcome) {
	if o.Executing() {
		t.CancelAll(p, o, outcome)
		return
	}
	p.Settle(o, schema.StateCancelled)
	outcome.N, outcome.Attempt = p.NumberOf(o), o.Attempt
	t.Publish(p, outcome.Of(o))
}
