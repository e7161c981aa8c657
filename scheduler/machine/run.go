package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// trigger makes one extra run of p, of occurrence 0. Its number is given at once, also
// when it has to wait its turn. A plan that is paused runs it all the same.
func (t *turn) trigger(name schema.PlanName) (schema.Triggered, error) {
	p, err := t.m.current(name)
	if err != nil {
		return schema.Triggered{}, err
	}
	if p.Halt.Stopped() {
		return schema.Triggered{}, stoppedAlready(p, "triggered")
	}
	if p.Inbox != nil {
		return t.deliverNow(p)
	}
	p.N++
	o := &state.Occurrence{Trigger: p.N, Due: t.now, At: t.now}
	t.admitTrigger(p, o)
	t.look(p)
	return schema.Triggered{
		PlanID: p.Name.PlanID, Station: p.Name.Station, State: p.Standing(t.now).State, N: o.Trigger,
	}, nil
}

// admitTrigger asks the same question of an extra run as of an occurrence that is due:
// what admit answers decides, and nothing is put off that the policy does not queue. What
// failed before is nothing to it: somebody wants it run.
func (t *turn) admitTrigger(p *state.Plan, o *state.Occurrence) {
	q := questionOf(t.Partition, p, p.Busy())
	q.asked, q.failed = true, false
	switch v := admit(q); {
	case v == skipBusy:
		t.skipTrigger(p, o, schema.ReasonOverlap)
		return
	case v == skipFull:
		t.skipTrigger(p, o, schema.ReasonConcurrency)
		return
	case v == replace, v == cancel:
		for len(p.Open) > 0 {
			t.abandon(p, p.Open[0], schema.ReasonOverlap)
		}
	case p.Weight() >= state.MaxOpen:
		t.skipTrigger(p, o, schema.ReasonConcurrency)
		return
	}
	p.Open = append(p.Open, o) // mayStart lets it wait its turn
	t.touch(p)
}

// skipTrigger records an extra run that its plan's policy does not allow.
func (t *turn) skipTrigger(p *state.Plan, o *state.Occurrence, why schema.Reason) {
	t.publish(p, outcome{n: o.Trigger, state: schema.StateSkipped, reason: why, final: true}.of(o))
}

// cancelRun ends execution n, or the wait for the one after it, and settles its
// occurrence. The plan goes on; if that is what stopped it, it is served again.
func (t *turn) cancelRun(p *state.Plan, n int64) error {
	o, err := p.ToCancel(n)
	if err != nil {
		return err
	}
	if o.Executing() {
		t.cancelAll(p, o, cancelled(schema.ReasonManual))
	} else {
		p.Settle(o, schema.StateCancelled)
		t.publish(p, outcome{
			n: p.NumberOf(o), attempt: o.Attempt, state: schema.StateCancelled, reason: schema.ReasonManual, final: true,
		}.of(o))
	}
	p.Judge(o, schema.StateCancelled)
	if p.Halt.Stopped() && !p.Stopped() {
		t.serveAgain(p)
	}
	p.HandOverAgain(o)
	t.free(p, t.now)
	return nil
}
