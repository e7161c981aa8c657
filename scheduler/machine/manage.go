package machine

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
)

// ask carries out one command and answers it.
func (m *Machine) ask(now moment, ev Ask, b *Batch) {
	if p := m.wants(ev.What); !m.isWhole(p) {
		m.fetchFor(p, ev, b) // it is carried out when that has been read
		return
	}
	switch c := ev.What.(type) {
	case schema.CreatePlan:
		answer, err := m.create(c, now, b)
		b.answer(ev.From, answer, err)
	case schema.RestorePlan:
		answer, err := m.restore(c, now, b)
		b.answer(ev.From, answer, err)
	case schema.GetPlan:
		m.get(c, ev.From, now, b)
	case schema.LookPlans:
		m.list(c, ev.From, now, b)
	case schema.OpenRuns:
		m.openRuns(c, ev.From, b)
	case schema.UpdatePlan:
		answer, err := m.update(c, now, b)
		b.answer(ev.From, answer, err)
	case schema.PausePlan:
		m.manage(c.Name, ev.From, now, b, m.pause)
	case schema.ResumePlan:
		m.manage(c.Name, ev.From, now, b, m.resume)
	case schema.ResetPlan:
		m.manage(c.Name, ev.From, now, b, m.reset)
	case schema.SkipPlan:
		m.manage(c.Name, ev.From, now, b, func(p *plan, now moment, b *Batch) error { return m.skip(p, c.Count, now, b) })
	case schema.CancelRun:
		m.manage(c.Name, ev.From, now, b, func(p *plan, now moment, b *Batch) error { return m.cancelRun(p, c.N, now, b) })
	case schema.ClosePlan:
		m.manage(c.Name, ev.From, now, b, m.closeOnRequest)
	case schema.RemovePlan:
		if m.broken[c.Name] != nil && m.plans[c.Name] == nil {
			m.removeBroken(c.Name, b)
			b.answer(ev.From, schema.Standing{PlanID: c.Name.PlanID, Station: c.Name.Station, State: schema.StatusClosed}, nil)
			return
		}
		m.manage(c.Name, ev.From, now, b, func(p *plan, now moment, b *Batch) error { return m.removeRevision(p, c.Revision, now, b) })
	case schema.TriggerPlan:
		answer, err := m.trigger(c.Name, now, b)
		b.answer(ev.From, answer, err)
	case schema.PushItem:
		answer, err := m.push(c, now, b)
		b.answer(ev.From, answer, err)
	case schema.ClaimItems:
		m.claim(c, ev.From, now, b)
	case schema.CompleteItems:
		answer, err := m.completeItems(c, now, b)
		b.answer(ev.From, answer, err)
	case schema.ReleaseItems:
		answer, err := m.releaseItems(c, now, b)
		b.answer(ev.From, answer, err)
	case schema.LookItems:
		m.lookItems(c, ev.From, b)
	case schema.DropItems:
		answer, err := m.dropItems(c, now, b)
		b.answer(ev.From, answer, err)
	case schema.LookTask:
		b.answer(ev.From, m.lookTask(c.Name, now), nil)
	case schema.ReportTask:
		m.report(c, ev.From, now, b)
	case schema.EndTask:
		m.manage(c.Name, ev.From, now, b, func(p *plan, now moment, b *Batch) error { return m.endTask(p, &c, now, b) })
	case schema.ClaimWork:
		m.claimWork(c, ev.From, now, b)
	case schema.StopClaim:
		m.stopClaim(c, ev.From, now, b)
	case schema.ReturnWork:
		m.returnWork(c, ev.From, now, b)
	case schema.PutStation:
		m.putStation(c, ev.From, b)
	case schema.GetStation:
		m.getStation(c, ev.From, b)
	case schema.DeleteStation:
		m.deleteStation(c, ev.From, b)
	case schema.LookStations:
		m.listStations(c, ev.From, b)
	case schema.LookWorkers:
		m.lookWorkers(c, ev.From, now, b)
	}
}

// manage carries out what a user wants done to a plan, looks what follows, and answers
// how the plan stands then. One that was closed is gone to its users.
func (m *Machine) manage(name schema.PlanName, from Asker, now moment, b *Batch, do func(*plan, moment, *Batch) error) {
	p, err := m.current(name)
	if err == nil {
		err = do(p, now, b)
	}
	if err != nil {
		b.answer(from, nil, err)
		return
	}
	if !p.removed {
		m.look(p, now, b)
	}
	b.answer(from, p.standing(now), nil)
}

// current returns the plan of that name, unless it was closed.
func (m *Machine) current(name schema.PlanName) (*plan, error) {
	p := m.plans[name]
	if p == nil || p.isGone() {
		return nil, m.noPlan(name)
	}
	m.at(p)
	return p, nil
}

// pause keeps p from being served. What fell due before waits its turn as far as it
// would have had one.
func (m *Machine) pause(p *plan, now moment, b *Batch) error {
	switch {
	case p.halt == paused:
		b.affirm(p)
		return nil
	case p.halt.stopped():
		return stoppedAlready(p, "paused")
	}
	m.takeStock(p, now, b)
	p.stop(paused, halted{since: now})
	m.touch(p, now, b)
	m.tell(p, schema.Notice{Kind: schema.NoticePaused}, now, b)
	return nil
}

// resume serves p again: retries whose time has come go at once, and what fell due
// meanwhile is skipped.
func (m *Machine) resume(p *plan, now moment, b *Batch) error {
	switch {
	case p.halt == served:
		b.affirm(p)
		return nil
	case p.halt.stopped():
		return stoppedAlready(p, "resumed")
	}
	m.skipPassed(p, now+1, schema.ReasonPaused, now, b)
	m.serveAgain(p, now, b)
	return nil
}

// serveAgain takes p out of whatever halted it. What fell due while it waited for a
// person is as lost as to a long execution, unless it waits its turn.
func (m *Machine) serveAgain(p *plan, now moment, b *Batch) {
	if p.halt.stopped() && !p.isBlamed() && !m.queues(p) { // what a plan that is to blame was about to run, it runs
		m.skipPassed(p, now, schema.ReasonPast, now, b)
	}
	p.stop(served, halted{})
	if p.schedule.Continuous() {
		p.lookAhead(now)
	}
	m.touch(p, now, b)
	m.tell(p, schema.Notice{Kind: schema.NoticeResumed}, now, b)
}

// reset tries again what stopped p, at once and with no error counted.
func (m *Machine) reset(p *plan, now moment, b *Batch) error {
	if !p.halt.stopped() {
		return &schema.Error{
			Code:    schema.CodeConflict,
			Message: fmt.Sprintf("%s is %s, and only a plan in plan_error or pending can be reset", p.name, p.status()),
		}
	}
	for _, o := range p.open {
		if o.stopped() {
			o.at, o.wait, o.tries = now, noWait, tries{}
		}
	}
	m.serveAgain(p, now, b)
	return nil
}

// maxSkips bounds the count of plans.skip; -1, which skips all, is no count.
const maxSkips = 1_000_000

// skip has the next count occurrences skipped when they fall due. The count that is said
// last stands.
func (m *Machine) skip(p *plan, count int64, now moment, b *Batch) error {
	if count < -1 || count > maxSkips {
		return &schema.Error{
			Code: schema.CodeInvalidRequest, Field: "count",
			Message: fmt.Sprintf("count is %d; say 1 to %d, -1 to skip until told otherwise, or 0 to skip no more", count, maxSkips),
		}
	}
	if p.inbox != nil {
		return &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s has an inbox, and no occurrences to come that could be skipped", p.name),
		}
	}
	p.skipNext(count)
	if p.schedule.Continuous() {
		p.lookAhead(now)
	}
	m.touch(p, now, b)
	return nil
}

// closeOnRequest lets the execution in flight finish. The look that follows skips what is
// with nobody.
func (m *Machine) closeOnRequest(p *plan, now moment, b *Batch) error {
	m.dropQueue(p, now, b)
	if p.isBlamed() {
		p.stop(served, halted{}) // a person has looked
	}
	p.closing = true
	m.touch(p, now, b)
	return nil
}

// skipRest skips what p, which was closed, has open and no worker has, so that nothing
// disappears without a line. An execution may come back after the close: it reached nobody,
// or its worker returned it. What was said of p and is not heard yet may settle it, and
// comes first. False: b has no room for all of them.
func (m *Machine) skipRest(p *plan, now moment, b *Batch) bool {
	for _, o := range slices.Clone(p.open) {
		switch {
		case o.isOut():
		case !b.Room(p.costOfSkip()):
			return false
		default:
			m.abandon(p, o, schema.ReasonManual, now, b)
		}
	}
	return true
}

// removeRevision removes p, if it is the revision that is meant; 0: any is.
func (m *Machine) removeRevision(p *plan, meant uint64, now moment, b *Batch) error {
	if meant != 0 && p.revision != meant {
		return anotherRevision(p, meant)
	}
	return m.remove(p, now, b)
}

// anotherRevision is the conflict of who means a revision that p has no more.
func anotherRevision(p *plan, meant uint64) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "revision",
		Message: fmt.Sprintf("%s is at revision %d, not %d: read it again with plans.get, and say the change again", p.name, p.revision, meant),
	}
}

// remove takes the plan out at once; who works on it is told to stop.
func (m *Machine) remove(p *plan, now moment, b *Batch) error {
	m.dropQueue(p, now, b)
	for len(p.open) > 0 {
		m.abandon(p, p.open[0], schema.ReasonManual, now, b)
	}
	m.leave(p, schema.NoticeRemoved, 0, now, b)
	return nil
}

// close takes a plan out that has nothing more to come. One that nobody closed is
// remembered for a while, but for a queue that is empty: its next push makes it anew.
func (m *Machine) close(p *plan, now moment, b *Batch) {
	if p.closing || p.inbox != nil {
		m.leave(p, schema.NoticeClosed, 0, now, b)
		return
	}
	m.lately.add(p.name, m.hashOf(p), p.kept, now)
	m.leave(p, schema.NoticeClosed, int64(now), now, b)
}

// leave takes p off the table; ended is the number of the row that says so.
func (m *Machine) leave(p *plan, kind schema.NoticeKind, ended int64, now moment, b *Batch) {
	b.appendRow(RowDefinition, p.name, ended, nil)
	if ended != 0 && p.kept {
		b.appendRow(RowDefinition, p.name, ended, nil) // whatever state rows have of that
	}
	m.leaveInbox(p, b)
	m.unwriteGone(p, b.Number)
	m.forget(p)
	m.tell(p, schema.Notice{Kind: kind}, now, b)
}

// noPlan refuses what is asked about a plan that is not in the table.
func (m *Machine) noPlan(name schema.PlanName) error {
	if m.broken[name] != nil {
		return &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s is stored, but is left alone (%v): plans.remove takes it away; else tell your operator", name, m.broken[name]),
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
func stoppedAlready(p *plan, what string) error {
	return &schema.Error{
		Code:    schema.CodeConflict,
		Message: fmt.Sprintf("%s is %s (%s) and cannot be %s: reset it, or cancel the run that stopped it", p.name, p.status(), p.halting().reason, what),
	}
}
