package machine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func (t *turn) get(c schema.GetPlan, from Asker) {
	t.suspect.reads = true
	p := t.find(c.Name)
	if p == nil || p.isGone() {
		t.b.answer(from, nil, t.noPlan(c.Name))
		return
	}
	t.at(p)
	view := p.view(t.now)
	if c.InForce {
		d, err := schema.LoadDefinition(p.raw)
		if err != nil {
			t.b.answer(from, nil, &schema.Error{Code: schema.CodeInternal, Message: fmt.Sprintf("read the definition of %s: %v", p.name, err)})
			return
		}
		view.InForce = d.Plan.InForce(p.station.record, t.config.Defaults)
	}
	t.b.answer(from, view, nil)
}

// wants returns the plan of which what is asked takes all of the definition; nil: none. A
// change of the definition does, so that it comes behind what is heard of the old one.
func (m *Machine) wants(what schema.Command) *plan {
	switch c := what.(type) {
	case schema.GetPlan:
		return m.find(c.Name)
	case schema.LookTask:
		return m.plans[c.Name]
	case schema.EndTask:
		return m.plans[c.Name]
	case schema.CreatePlan:
		if d := c.Definition; d.Plan.OnConflict == schema.ConflictUpdate {
			return m.plans[schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}]
		}
	case schema.UpdatePlan:
		return m.plans[schema.PlanName{Station: c.Definition.Plan.Station, PlanID: c.Definition.Plan.PlanID}]
	case schema.ReportTask:
		return m.plans[schema.PlanName{Station: c.About.Station, PlanID: c.About.PlanID}]
	}
	return nil
}

// find returns the plan of that name, nil when there is none. A name without a station is
// that of a merge queue, known by its id alone.
func (m *Machine) find(name schema.PlanName) *plan {
	if name.Station == "" {
		return m.inboxes[name.PlanID]
	}
	return m.plans[name]
}

// view shows p: the definition as it was sent, and where it stands now.
func (p *plan) view(now unit.Moment) schema.PlanView {
	s := schema.PlanState{
		Status: p.status(), PlanTime: p.comes(now),
		Occurrence: p.prev.K, Attempt: int64(p.attempt), N: p.n,
		RealRepet: p.realRepet, SkipNum: p.skipNum, SkipNext: p.skips(),
		LastState: p.last.state(), ExecTime: p.execTime.Time(),
		Revision: p.revision, Reason: p.halting().reason, Inbox: p.inboxView(),
	}
	for _, o := range p.open {
		view := schema.OpenOccurrence{
			Occurrence: o.k, PlanTime: o.due.Time(),
			NextTry: p.nextTry(o).Time(), Errors: o.errors, LastError: o.lastError,
		}
		for _, x := range o.live {
			view.Executions = append(view.Executions, schema.OpenExecution{
				N: x.n, Attempt: x.attempt, State: x.state, WorkerID: x.worker, Deadline: x.deadline.Time(),
				PingExpireTime: x.pingBy.Time(),
			})
		}
		view.Executions = append(view.Executions, o.crew.views()...)
		s.Open = append(s.Open, view)
	}
	return schema.PlanView{Plan: wire.Trust(p.enc, p.raw), State: s, Incarnation: p.incarnation}
}

// nextTry is when o is tried again at the earliest; 0: it is not, or never was tried, or when
// depends on a person.
func (p *plan) nextTry(o *occurrence) unit.Moment {
	switch {
	case p.halt != served:
		return 0
	case o.retries():
		return o.at // 0 when it is stopped
	case o.crew == nil || len(o.crew.again) == 0:
		return 0
	}
	return slices.MinFunc(o.crew.again, func(a, b member) int { return cmp.Compare(a.at, b.at) }).at
}

// openRuns answers with what is under way of a plan, as results without an end.
func (t *turn) openRuns(c schema.OpenRuns, from Asker) {
	t.suspect.reads = true
	var out []schema.Result
	p := t.plans[c.Name]
	if p == nil {
		t.b.answer(from, out, nil)
		return
	}
	t.at(p)
	repeated, err := t.repeated(p)
	if err != nil {
		t.b.answer(from, nil, err)
		return
	}
	for _, o := range p.open {
		run := repeated
		run.Occurrence, run.PlanTime = o.k, o.due.Time()
		run.Key = schema.PlanKeyOf(p.name, p.incarnation, o.k)
		run.RealRepet, run.SkipNum = p.realRepet, p.skipNum
		run.Trigger = o.madeBy()
		if o.trigger != 0 {
			run.Key = schema.TriggerKeyOf(p.name, p.incarnation, o.trigger)
		}
		if o.trigger != 0 && o.attempt == 0 { // it has its number, and waits its turn
			run.N, run.State = o.trigger, schema.StateWaiting
			out = append(out, run)
		}
		for _, x := range o.live {
			run.Attempt, run.N, run.ExecTime, run.State, run.WorkerID = x.attempt, x.n, x.sent.Time(), x.state, x.worker
			run.Votes = slices.Clone(x.ballot.voted())
			out = append(out, run)
		}
	}
	slices.SortFunc(out, func(a, b schema.Result) int { return int(b.N - a.N) })
	t.b.answer(from, out, nil)
}

// repeated is what results repeat of the definition. A hundred runs may have to fit in
// one answer, so it is curtailed like that of results which have to fit in one append.
func (m *Machine) repeated(p *plan) (schema.Result, error) {
	shared, count := p.told()
	if p.options().log == schema.LogTrigger {
		shared, count = schema.WithoutMessages(p.enc, shared)
	}
	shared, count = m.curtail(p, shared, count)
	m.w.Reset(p.enc, make([]byte, 0, len(shared)+128)) // bytes of its own, which messages stay in
	m.w.BeginMapWith(shared, count)
	m.w.EndMap()
	var out schema.Result
	if err := wire.DecodeLoose(wire.Trust(p.enc, m.w.Bytes()), &out); err != nil {
		return out, &schema.Error{Code: schema.CodeInternal, Message: fmt.Sprintf("read the definition of %s: %v", p.name, err)}
	}
	return out, nil
}
