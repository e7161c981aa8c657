package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

// manage carries out a user's change of a plan, looks at the plan, and returns its standing. A
// closed plan does not exist for its users.
func manage(t *turn, name schema.PlanName, do func(*state.Plan) error) (schema.Standing, error) {
	p, err := t.m.current(name)
	if err == nil {
		err = do(p)
	}
	if err != nil {
		return schema.Standing{}, err
	}
	if !p.Removed {
		t.Evaluate(p)
	}
	return view.Standing(p, t.Now), nil
}

// current returns the plan of that name, unless it was closed.
func (m *Machine) current(name schema.PlanName) (*state.Plan, error) {
	p := m.part.Plans[name]
	if p == nil || p.IsGone() {
		return nil, m.noPlan(name)
	}
	m.part.At(p)
	return p, nil
}

// pause suspends p. An occurrence that fell due before still waits its turn if it would have had
// one, unless c drops it; so does one whose execution had no responders.
func pause(t *turn, p *state.Plan, c command.PausePlan) error {
	switch {
	case p.IsPaused():
		t.Batch.Affirm(p)
		t.holdBack(p, c.Drops)
		return nil
	case p.NeedsPerson():
		return stoppedAlready(p, "paused")
	}
	t.takeStock(p)
	p.Suspension = &state.Suspension{Status: schema.StatusPaused, Requested: t.requested()}
	t.Touch(p)
	t.Notify(p, schema.Notice{Kind: schema.NoticePaused})
	t.holdBack(p, c.Drops)
	return nil
}

// resume serves p again. Retries whose time has come go at once, and occurrences that fell due
// meanwhile are skipped.
func resume(t *turn, p *state.Plan, _ command.ResumePlan) error {
	switch {
	case p.Suspension == nil:
		t.Batch.Affirm(p)
		return nil
	case p.NeedsPerson():
		return stoppedAlready(p, "resumed")
	}
	t.SkipPassed(p, t.Now+1, schema.ReasonPaused)
	transition.Resumes(&t.Turn, p)
	t.ServeAgain(p)
	return nil
}

// reset retries the occurrence that stopped p, at once and with no error counted.
func reset(t *turn, p *state.Plan, _ command.ResetPlan) error {
	if !p.NeedsPerson() {
		return &schema.Error{
			Code:    schema.CodeConflict,
			Message: fmt.Sprintf("%s is %s, and only a plan in plan_error or pending can be reset", p.Name, p.Status()),
		}
	}
	for _, o := range p.Open {
		if o.AwaitsPerson() {
			o.At, o.Wait, o.Tries = t.Now, state.NoWait, state.Tries{}
		}
	}
	if p.Inbox != nil {
		p.Inbox.Errors = 0 // of the deliveries before a restore
	}
	t.ServeAgain(p)
	return nil
}

// skip has the next c.Count occurrences skipped when they fall due. The latest count replaces an
// earlier one.
func skip(t *turn, p *state.Plan, c command.SkipPlan) error {
	count := c.Count
	if count < -1 || count > state.MaxSkips {
		return &schema.Error{
			Code: schema.CodeInvalidRequest, Field: "count",
			Message: fmt.Sprintf("count is %d; it may be 1 to %d, -1 to skip until a later request, or 0 to skip no more", count, state.MaxSkips),
		}
	}
	if p.Inbox != nil {
		return &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s has an inbox, and no occurrences to come that could be skipped", p.Name),
		}
	}
	p.SkipNext(count, t.requested())
	if p.Schedule.Continuous() {
		p.LookAhead(t.Now)
	}
	t.Touch(p)
	return nil
}

// closePlan lets the execution in flight finish. The look that follows skips occurrences that no
// worker has.
func closePlan(t *turn, p *state.Plan, _ command.ClosePlan) error {
	t.dropQueue(p)
	t.cancelUnopened(p)
	if p.IsBlamed() {
		p.Suspension = nil // a person has looked
	}
	p.Closing = true
	asked, k := t.requested(), p.Marked()
	k.Closed = &asked
	p.Mark(k)
	t.Touch(p)
	return nil
}

// removePlan removes a plan, if its revision is the given one; 0: any. A plan that was left
// alone because its rows cannot be read is removed with its rows.
func removePlan(t *turn, c command.RemovePlan) (schema.Standing, error) {
	if t.Broken[c.Name] != nil && t.Plans[c.Name] == nil {
		t.removeBroken(c.Name)
		return schema.Standing{PlanID: c.Name.PlanID, Station: c.Name.Station, State: schema.StatusClosed}, nil
	}
	return manage(t, c.Name, func(p *state.Plan) error {
		switch {
		case c.Incarnation != 0 && p.Incarnation != c.Incarnation:
			return &schema.Error{
				Code: schema.CodeConflict, Field: "revision",
				Message: fmt.Sprintf("%s is another plan of that name by now: read it again with plans.get, and say the change again", p.Name),
			}
		case c.Revision != 0 && p.Revision != c.Revision:
			return anotherRevision(p, c.Revision)
		}
		return t.remove(p)
	})
}

// anotherRevision is the conflict of a request that names a revision which p no longer has.
func anotherRevision(p *state.Plan, meant uint64) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "revision",
		Message: fmt.Sprintf("%s is at revision %d, not %d: read it again with plans.get, and say the change again", p.Name, p.Revision, meant),
	}
}

// remove takes the plan out at once, and has its workers notified to stop.
func (t *turn) remove(p *state.Plan) error {
	t.dropQueue(p)
	for len(p.Open) > 0 {
		t.Abandon(p, p.Open[0], schema.ReasonManual, transition.Because(&t.Turn, p, schema.ReasonManual))
	}
	t.cancelUnopened(p)
	t.SkipItems(p, schema.ReasonManual)
	t.Leave(p, schema.NoticeRemoved, 0)
	return nil
}

// noPlan refuses a request about a plan that is not in the table.
func (m *Machine) noPlan(name schema.PlanName) error {
	if m.part.Broken[name] != nil {
		return &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s is stored, but cannot be used (%v): plans.remove deletes it; otherwise tell your operator", name, m.part.Broken[name]),
		}
	}
	return noPlan(name)
}

func noPlan(name schema.PlanName) error {
	return &schema.Error{
		Code: schema.CodeNotFound, Field: "plan_id",
		Message: fmt.Sprintf("there is no plan %s; it may have closed: plans.explain shows why, plans.runs what it did", name),
	}
}

// stoppedAlready refuses an act that is impossible while a plan waits for a person.
func stoppedAlready(p *state.Plan, what string) error {
	remedy := "reset it, or cancel the run that stopped it"
	if p.IsTask() {
		remedy = "tasks.retry has it done again, tasks.process says that a person has done it, and tasks.cancel ends it"
	}
	return &schema.Error{
		Code:    schema.CodeConflict,
		Message: fmt.Sprintf("%s is %s (%s) and cannot be %s: %s", p.Name, p.Status(), p.Suspended().Reason, what, remedy),
	}
}
