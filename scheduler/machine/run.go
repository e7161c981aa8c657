package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

// trigger makes one extra run of p, of occurrence 0. Its number is assigned at once, also when
// it has to wait its turn. A paused plan runs it all the same.
func trigger(t *turn, c command.TriggerPlan) (schema.Triggered, error) {
	p, err := t.m.current(c.Name)
	if err != nil {
		return schema.Triggered{}, err
	}
	if p.NeedsPerson() {
		return schema.Triggered{}, stoppedAlready(p, "triggered")
	}
	if p.IsTask() { // an extra run would be its success in history, while it is new
		return schema.Triggered{}, &schema.Error{Code: schema.CodeConflict, Field: "plan_id", Message: fmt.Sprintf(
			"%s is a task, and done once: tasks.submit with on_conflict update gives it another start_time, and tasks.retry has one done again that failed", p.Name)}
	}
	if p.Inbox != nil {
		return t.deliverNow(p)
	}
	p.N++
	o := &state.Occurrence{Trigger: p.N, Due: t.Now, At: t.Now}
	if !t.Asked.IsZero() {
		asked := t.Asked
		o.Asked = &asked
	}
	skipped, by := t.admitTrigger(p, o)
	t.Evaluate(p)
	return schema.Triggered{
		PlanID: p.Name.PlanID, Station: p.Name.Station, State: view.Standing(p, t.Now).State, N: o.Trigger,
		Skipped: skipped, Because: by.Because(),
	}, nil
}

// admitTrigger submits an extra run to the same policies as a due occurrence. Admission decides,
// and a run waits only where the policy queues. It returns the reason of a skip with its cause;
// empty: the run is not skipped.
func (t *turn) admitTrigger(p *state.Plan, o *state.Occurrence) (schema.Reason, admission.Ref) {
	switch v := admission.VerdictOnTrigger(t.Partition, p); {
	case v.Do == admission.Skip:
		return t.skipTrigger(p, o, v.Reason, v.By)
	case v.Do == admission.Replace, v.Do == admission.Cancel:
		by := admission.Ref{N: o.Trigger}
		for len(p.Open) > 0 {
			t.Abandon(p, p.Open[0], schema.ReasonOverlap, by.Because())
		}
	case p.Weight() >= state.MaxOpen:
		return t.skipTrigger(p, o, schema.ReasonConcurrency, admission.RanIntoLimit(t.Partition, p))
	}
	p.Open = append(p.Open, o) // a hold of its own lets it wait its turn
	t.Touch(p)
	return "", admission.Ref{}
}

// skipTrigger records an extra run that its plan's policy does not allow.
func (t *turn) skipTrigger(p *state.Plan, o *state.Occurrence, why schema.Reason, by admission.Ref) (schema.Reason, admission.Ref) {
	t.Publish(p, transition.Outcome{
		N: o.Trigger, State: schema.StateSkipped, Reason: why, Because: by.Because(), Final: true,
	}.Of(o))
	return why, by
}

// cancelRun ends execution c.N, or the wait for the one after it, and settles its occurrence.
// The plan goes on; if that occurrence had stopped it, it is served again.
func cancelRun(t *turn, p *state.Plan, c command.CancelRun) error {
	o, err := view.ToCancel(p, c.N)
	if err != nil {
		return err
	}
	because, by := transition.Because(&t.Turn, p, schema.ReasonManual), admission.RefTo(o)
	if o.Executing() {
		t.CancelAll(p, o, transition.Cancelled(schema.ReasonManual, because))
	} else {
		p.Settle(o, schema.StateCancelled)
		t.Publish(p, transition.Outcome{
			N: p.NumberOf(o), Attempt: o.Attempt, State: schema.StateCancelled, Reason: schema.ReasonManual,
			Because: because, Final: true,
		}.Of(o))
	}
	p.Judge(o, schema.StateCancelled)
	if p.NeedsPerson() && !p.AwaitsPerson() {
		t.ServeAgain(p)
	}
	p.HandOverAgain(o)
	t.Free(p, t.Now, by)
	return nil
}
