package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// ask carries out one command and answers it.
func (t *turn) ask(ev event.Ask) {
	if p := t.m.wants(ev.What); !t.IsWhole(p) {
		t.FetchFor(p, ev) // it is carried out when that has been read
		return
	}
	switch c := ev.What.(type) {
	case schema.CreatePlan:
		answer, err := t.create(c)
		t.Batch.Answer(ev.From, answer, err)
	case schema.RestorePlan:
		answer, err := t.restore(c)
		t.Batch.Answer(ev.From, answer, err)
	case schema.GetPlan:
		t.get(c, ev.From)
	case schema.LookPlans:
		t.list(c, ev.From)
	case schema.OpenRuns:
		t.openRuns(c, ev.From)
	case schema.UpdatePlan:
		answer, err := t.update(c)
		t.Batch.Answer(ev.From, answer, err)
	case schema.PausePlan:
		t.manage(c.Name, ev.From, t.pause)
	case schema.ResumePlan:
		t.manage(c.Name, ev.From, t.resume)
	case schema.ResetPlan:
		t.manage(c.Name, ev.From, t.reset)
	case schema.SkipPlan:
		t.manage(c.Name, ev.From, func(p *state.Plan) error { return t.skip(p, c.Count) })
	case schema.CancelRun:
		t.manage(c.Name, ev.From, func(p *state.Plan) error { return t.cancelRun(p, c.N) })
	case schema.ClosePlan:
		t.manage(c.Name, ev.From, t.closeOnRequest)
	case schema.RemovePlan:
		if t.Broken[c.Name] != nil && t.Plans[c.Name] == nil {
			t.removeBroken(c.Name)
			t.Batch.Answer(ev.From, schema.Standing{PlanID: c.Name.PlanID, Station: c.Name.Station, State: schema.StatusClosed}, nil)
			return
		}
		t.manage(c.Name, ev.From, func(p *state.Plan) error { return t.removeRevision(p, c.Revision) })
	case schema.TriggerPlan:
		answer, err := t.trigger(c.Name)
		t.Batch.Answer(ev.From, answer, err)
	case schema.PushItem:
		answer, err := t.push(c)
		t.Batch.Answer(ev.From, answer, err)
	case schema.ClaimItems:
		t.claim(c, ev.From)
	case schema.CompleteItems:
		answer, err := t.completeItems(c)
		t.Batch.Answer(ev.From, answer, err)
	case schema.ReleaseItems:
		answer, err := t.releaseItems(c)
		t.Batch.Answer(ev.From, answer, err)
	case schema.LookItems:
		t.lookItems(c, ev.From)
	case schema.DropItems:
		answer, err := t.dropItems(c)
		t.Batch.Answer(ev.From, answer, err)
	case schema.LookTask:
		t.Batch.Answer(ev.From, t.lookTask(c.Name), nil)
	case schema.ReportTask:
		t.report(c, ev.From)
	case schema.EndTask:
		t.manage(c.Name, ev.From, func(p *state.Plan) error { return t.endTask(p, &c) })
	case schema.ClaimWork:
		t.claimWork(c, ev.From)
	case schema.StopClaim:
		t.stopClaim(c, ev.From)
	case schema.ReturnWork:
		t.returnWork(c, ev.From)
	case schema.PutStation:
		t.putStation(c, ev.From)
	case schema.GetStation:
		t.getStation(c, ev.From)
	case schema.DeleteStation:
		t.deleteStation(c, ev.From)
	case schema.LookStations:
		t.listStations(c, ev.From)
	case schema.LookWorkers:
		t.lookWorkers(c, ev.From)
	}
}

// manage carries out what a user wants done to a plan, looks what follows, and answers
// how the plan stands then. One that was closed is gone to its users.
func (t *turn) manage(name schema.PlanName, from event.Asker, do func(*state.Plan) error) {
	p, err := t.m.current(name)
	if err == nil {
		err = do(p)
	}
	if err != nil {
		t.Batch.Answer(from, nil, err)
		return
	}
	if !p.Removed {
		t.Look(p)
	}
	t.Batch.Answer(from, p.Standing(t.Now), nil)
}

// current returns the plan of that name, unless it was closed.
func (m *Machine) current(name schema.PlanName) (*state.Plan, error) {
	p := m.Plans[name]
	if p == nil || p.IsGone() {
		return nil, m.noPlan(name)
	}
	m.At(p)
	return p, nil
}

// pause keeps p from being served. What fell due before waits its turn as far as it
// would have had one.
func (t *turn) pause(p *state.Plan) error {
	switch {
	case p.Halt == state.Paused:
		t.Batch.Affirm(p)
		return nil
	case p.Halt.Stopped():
		return stoppedAlready(p, "paused")
	}
	t.takeStock(p)
	p.Stop(state.Paused, state.Halted{Since: t.Now})
	t.Touch(p)
	t.Tell(p, schema.Notice{Kind: schema.NoticePaused})
	return nil
}

// resume serves p again: retries whose time has come go at once, and what fell due
// meanwhile is skipped.
func (t *turn) resume(p *state.Plan) error {
	switch {
	case p.Halt == state.Served:
		t.Batch.Affirm(p)
		return nil
	case p.Halt.Stopped():
		return stoppedAlready(p, "resumed")
	}
	t.SkipPassed(p, t.Now+1, schema.ReasonPaused)
	t.ServeAgain(p)
	return nil
}

// reset tries again what stopped p, at once and with no error counted.
func (t *turn) reset(p *state.Plan) error {
	if !p.Halt.Stopped() {
		return &schema.Error{
			Code:    schema.CodeConflict,
			Message: fmt.Sprintf("%s is %s, and only a plan in plan_error or pending can be reset", p.Name, p.Status()),
		}
	}
	for _, o := range p.Open {
		if o.Stopped() {
			o.At, o.Wait, o.Tries = t.Now, state.NoWait, state.Tries{}
		}
	}
	t.ServeAgain(p)
	return nil
}

// skip has the next count occurrences skipped when they fall due. The count that is said
// last stands.
func (t *turn) skip(p *state.Plan, count int64) error {
	if count < -1 || count > state.MaxSkips {
		return &schema.Error{
			Code: schema.CodeInvalidRequest, Field: "count",
			Message: fmt.Sprintf("count is %d; say 1 to %d, -1 to skip until told otherwise, or 0 to skip no more", count, state.MaxSkips),
		}
	}
	if p.Inbox != nil {
		return &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s has an inbox, and no occurrences to come that could be skipped", p.Name),
		}
	}
	p.SkipNext(count)
	if p.Schedule.Continuous() {
		p.LookAhead(t.Now)
	}
	t.Touch(p)
	return nil
}

// closeOnRequest lets the execution in flight finish. The look that follows skips what is
// with nobody.
func (t *turn) closeOnRequest(p *state.Plan) error {
	t.dropQueue(p)
	if p.IsBlamed() {
		p.Stop(state.Served, state.Halted{}) // a person has looked
	}
	p.Closing = true
	t.Touch(p)
	return nil
}

// removeRevision removes p, if it is the revision that is meant; 0: any is.
func (t *turn) removeRevision(p *state.Plan, meant uint64) error {
	if meant != 0 && p.Revision != meant {
		return anotherRevision(p, meant)
	}
	return t.remove(p)
}

// anotherRevision is the conflict of who means a revision that p has no more.
func anotherRevision(p *state.Plan, meant uint64) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "revision",
		Message: fmt.Sprintf("%s is at revision %d, not %d: read it again with plans.get, and say the change again", p.Name, p.Revision, meant),
	}
}

// remove takes the plan out at once; who works on it is told to stop.
func (t *turn) remove(p *state.Plan) error {
	t.dropQueue(p)
	for len(p.Open) > 0 {
		t.Abandon(p, p.Open[0], schema.ReasonManual)
	}
	t.SkipItems(p, schema.ReasonManual)
	t.Leave(p, schema.NoticeRemoved, 0)
	return nil
}

// noPlan refuses what is asked about a plan that is not in the table.
func (m *Machine) noPlan(name schema.PlanName) error {
	if m.Broken[name] != nil {
		return &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s is stored, but is left alone (%v): plans.remove takes it away; else tell your operator", name, m.Broken[name]),
		}
	}
	return noPlan(name)
}

func noPlan(name schema.PlanName) error {
	return &schema.Error{
		Code: schema.CodeNotFound, Field: "plan_id",
		Message: fmt.Sprintf("there is no plan %s; it may have closed: plans.runs shows what it did", name),
	}
}

// stoppedAlready refuses what cannot be done to a plan that waits for a person.
func stoppedAlready(p *state.Plan, what string) error {
	return &schema.Error{
		Code:    schema.CodeConflict,
		Message: fmt.Sprintf("%s is %s (%s) and cannot be %s: reset it, or cancel the run that stopped it", p.Name, p.Status(), p.Halting().Reason, what),
	}
}
