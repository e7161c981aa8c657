package machine

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
)

// trigger makes one extra run of p, of occurrence 0. Its number is given at once, also
// when it has to wait its turn. A plan that is paused runs it all the same.
func (t *turn) trigger(name schema.PlanName) (schema.Triggered, error) {
	p, err := t.current(name)
	if err != nil {
		return schema.Triggered{}, err
	}
	if p.halt.stopped() {
		return schema.Triggered{}, stoppedAlready(p, "triggered")
	}
	if p.inbox != nil {
		return t.deliverNow(p)
	}
	p.n++
	o := &occurrence{trigger: p.n, due: t.now, at: t.now}
	t.admitTrigger(p, o)
	t.look(p)
	return schema.Triggered{
		PlanID: p.name.PlanID, Station: p.name.Station, State: p.standing(t.now).State, N: o.trigger,
	}, nil
}

// admitTrigger asks the same question of an extra run as of an occurrence that is due:
// what admit answers decides, and nothing is put off that the policy does not queue. What
// failed before is nothing to it: somebody wants it run.
func (t *turn) admitTrigger(p *plan, o *occurrence) {
	q := t.question(p, p.load())
	q.asked, q.failed = true, false
	switch v := admit(q); {
	case v == skipBusy:
		t.skipTrigger(p, o, schema.ReasonOverlap)
		return
	case v == skipFull:
		t.skipTrigger(p, o, schema.ReasonConcurrency)
		return
	case v == replace, v == cancel:
		for len(p.open) > 0 {
			t.abandon(p, p.open[0], schema.ReasonOverlap)
		}
	case p.weight() >= maxOpen:
		t.skipTrigger(p, o, schema.ReasonConcurrency)
		return
	}
	p.open = append(p.open, o) // mayStart lets it wait its turn
	t.touch(p)
}

// skipTrigger records an extra run that its plan's policy does not allow.
func (t *turn) skipTrigger(p *plan, o *occurrence, why schema.Reason) {
	t.publish(p, outcome{n: o.trigger, state: schema.StateSkipped, reason: why, final: true}.of(o))
}

// cancelRun ends execution n, or the wait for the one after it, and settles its
// occurrence. The plan goes on; if that is what stopped it, it is served again.
func (t *turn) cancelRun(p *plan, n int64) error {
	o, err := p.toCancel(n)
	if err != nil {
		return err
	}
	if o.executing() {
		t.cancelAll(p, o, cancelled(schema.ReasonManual))
	} else {
		p.settle(o, schema.StateCancelled)
		t.publish(p, outcome{
			n: p.numberOf(o), attempt: o.attempt, state: schema.StateCancelled, reason: schema.ReasonManual, final: true,
		}.of(o))
	}
	p.judge(o, schema.StateCancelled)
	if p.halt.stopped() && !p.stopped() {
		t.serveAgain(p)
	}
	p.handOverAgain(o)
	t.free(p, t.now)
	return nil
}

// toCancel returns the occurrence that run n stands for: one that is under way, the last
// one of an occurrence that waits for its retry or for a person, or one that waits its
// turn.
func (p *plan) toCancel(n int64) (*occurrence, error) {
	if n < 1 || n > p.n {
		return nil, &schema.Error{
			Code: schema.CodeNotFound, Field: "n",
			Message: fmt.Sprintf("%s has no run %d; the last number it gave is %d", p.name, n, p.n),
		}
	}
	goesOn := ""
	for _, o := range p.open {
		newest := o.newest()
		switch {
		case newest == n || slices.ContainsFunc(o.live, func(x *execution) bool { return x.n == n }):
			return o, nil
		case slices.Contains(o.ended, n), slices.Contains(o.ended, -n), o.trigger == n:
			goesOn = fmt.Sprintf("; its occurrence goes on as run %d", newest)
		}
	}
	return nil, &schema.Error{
		Code: schema.CodeConflict, Field: "n",
		Message: fmt.Sprintf("run %d of %s has ended%s", n, p.name, goesOn),
	}
}

// newest returns the number of o's newest execution, or the one that was promised to it;
// 0: none yet.
func (o *occurrence) newest() int64 {
	switch {
	case o.executing():
		return o.live[len(o.live)-1].n
	case len(o.ended) > 0:
		n := o.ended[len(o.ended)-1]
		return max(n, -n) // below zero: the numbers of votes
	default:
		return o.trigger
	}
}
