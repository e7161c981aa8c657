package machine

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func (m *Machine) get(c schema.GetPlan, from Asker, now moment, b *Batch) {
	p := m.find(c.Name)
	if p == nil || p.closing {
		b.answer(from, nil, noPlan(c.Name))
		return
	}
	b.answer(from, p.view(now), nil)
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
func (p *plan) view(now moment) schema.PlanView {
	s := schema.PlanState{
		Status: p.status(), PlanTime: p.comes(now),
		Occurrence: p.prev.K, Attempt: int64(p.attempt), N: p.n,
		RealRepet: p.realRepet, SkipNum: p.skipNum,
		LastState: p.last.state(), ExecTime: p.execTime.time(),
		Revision: p.revision, Reason: p.halting().reason, Inbox: p.inboxView(),
	}
	for _, o := range p.open {
		view := schema.OpenOccurrence{Occurrence: o.k, PlanTime: o.due.time()}
		for _, x := range o.live {
			view.Executions = append(view.Executions, schema.OpenExecution{
				N: x.n, Attempt: x.attempt, State: x.state, WorkerID: x.worker, Deadline: x.deadline.time(),
				PingExpireTime: x.pingBy.time(),
			})
		}
		view.Executions = append(view.Executions, o.crew.views()...)
		s.Open = append(s.Open, view)
	}
	return schema.PlanView{Plan: wire.Trust(p.enc, p.raw), State: s, Incarnation: p.incarnation}
}

const (
	// listSlice bounds one look at the table to about a millisecond, which is what an
	// execution may have to wait for it. It counts bytes that are read; to come to a
	// plan, and to begin to read its definition, cost as much as so many of them do.
	listSlice = 320 << 10
	listVisit = 128
	listRead  = 256
	// listBytes bounds what one answer gathers.
	listBytes = 256 << 10
)

// list answers with what matches of the next plans behind the cursor. Who asks
// goes on until the page is full (KERNEL section 5).
func (m *Machine) list(c schema.LookPlans, from Asker, now moment, b *Batch) {
	out := schema.PlanSlice{Last: c.After}
	f := newFilter(&c, now)
	cost, size := 0, 0
	var jump *schema.PlanName // where the next plan that may have one of the IDs lies
	each := func(p *plan) bool {
		if p.name == c.After {
			return true
		}
		if past(p, c.Filter.Station) {
			return false
		}
		if cost >= listSlice || len(out.Plans) == c.Limit || size > listBytes {
			out.More = true
			return false
		}
		cost += listVisit
		if jump = leap(p.name, c.IDs); jump != nil {
			out.Last = p.name
			return false
		}
		if f.reads {
			cost += listRead + len(p.raw)
		}
		out.Last = p.name
		if !p.closing && f.matches(p) {
			size += len(p.raw) + smallEvent/4
			view := p.view(now)
			if c.Tasks {
				view.Trace = m.trace(p)
			}
			if c.Records && p.inbox == nil { // a queue's would be of no use without its items
				view.Record = p.record()
				size += len(view.Record.Raw())
				cost += listRead + len(view.Record.Raw())
			}
			out.Plans = append(out.Plans, view)
		}
		return true
	}
	at := first(c)
	for jump = &at; jump != nil; {
		at, jump = *jump, nil
		m.sorted.Ascend(&plan{name: at}, each)
	}
	b.answer(from, out, nil)
}

// leap returns where to look on when a plan's id is not one of ids: at the first of
// them of its station, or of the next one; nil when it is.
func leap(at schema.PlanName, ids schema.IDRange) *schema.PlanName {
	switch {
	case at.PlanID < ids.From:
		return &schema.PlanName{Station: at.Station, PlanID: ids.From}
	case ids.To != "" && at.PlanID >= ids.To:
		// The least name of a station behind this one: names hold no zero byte.
		return &schema.PlanName{Station: at.Station + "\x00", PlanID: ids.From}
	default:
		return nil
	}
}

// first is where a list begins: behind the cursor, and not before its station.
func first(c schema.LookPlans) schema.PlanName {
	at := c.After
	if s := c.Filter.Station; s != "" {
		s, _ = cutWildcard(s)
		if at.Station < s {
			at = schema.PlanName{Station: s}
		}
	}
	return at
}

// past reports that p, and all behind it, lie beyond the station asked for.
// Below a prefix come the stations that begin with it and a dot; the byte after
// the dot bounds them.
func past(p *plan, station string) bool {
	if station == "" {
		return false
	}
	prefix, wild := cutWildcard(station)
	if !wild {
		return p.name.Station > prefix
	}
	return p.name.Station >= prefix+string('.'+1)
}

// openRuns answers with what is under way of a plan, as results without an end.
func (m *Machine) openRuns(c schema.OpenRuns, from Asker, b *Batch) {
	var out []schema.Result
	p := m.plans[c.Name]
	if p == nil {
		b.answer(from, out, nil)
		return
	}
	repeated, err := m.repeated(p)
	if err != nil {
		b.answer(from, nil, err)
		return
	}
	for _, o := range p.open {
		run := repeated
		run.Occurrence, run.PlanTime = o.k, o.due.time()
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
			run.Attempt, run.N, run.ExecTime, run.State, run.WorkerID = x.attempt, x.n, x.sent.time(), x.state, x.worker
			run.Votes = slices.Clone(x.ballot.voted())
			out = append(out, run)
		}
	}
	slices.SortFunc(out, func(a, b schema.Result) int { return int(b.N - a.N) })
	b.answer(from, out, nil)
}

// repeated is what results repeat of the definition. A hundred runs may have to fit in
// one answer, so it is curtailed like that of results which have to fit in one append.
func (m *Machine) repeated(p *plan) (schema.Result, error) {
	shared, count := p.shared(), int(p.sharedCount)
	if p.options().log == schema.LogTrigger {
		shared, count = schema.WithoutMessages(p.enc, shared)
	}
	shared, count = curtail(p.enc, shared, count)
	m.w.Reset(p.enc, make([]byte, 0, len(shared)+128)) // bytes of its own, which messages stay in
	m.w.BeginMapWith(shared, count)
	m.w.EndMap()
	var out schema.Result
	if err := wire.DecodeLoose(wire.Trust(p.enc, m.w.Bytes()), &out); err != nil {
		return out, &schema.Error{Code: schema.CodeInternal, Message: fmt.Sprintf("read the definition of %s: %v", p.name, err)}
	}
	return out, nil
}
