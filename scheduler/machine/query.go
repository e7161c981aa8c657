package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func (m *Machine) get(c schema.GetPlan, from Asker, now moment, b *Batch) {
	p := m.plans[c.Name]
	if p == nil || p.closing {
		b.answer(from, nil, noPlan(c.Name))
		return
	}
	b.answer(from, p.view(now), nil)
}

// view shows p: the definition as it was sent, and where it stands now.
func (p *plan) view(now moment) schema.PlanView {
	s := schema.PlanState{
		Status: p.status(), PlanTime: p.comes(now),
		Occurrence: p.prev.K, Attempt: int64(p.attempt), N: p.n,
		RealRepet: p.realRepet, SkipNum: p.skipNum,
		LastState: p.lastState, ExecTime: p.execTime.time(),
		Revision: p.revision, Reason: p.reason,
	}
	for _, o := range p.open {
		view := schema.OpenOccurrence{Occurrence: o.k, PlanTime: o.due.time()}
		for _, x := range o.live {
			view.Executions = append(view.Executions, schema.OpenExecution{
				N: x.n, Attempt: x.attempt, State: x.state, WorkerID: x.worker, Deadline: x.deadline.time(),
			})
		}
		s.Open = append(s.Open, view)
	}
	return schema.PlanView{Plan: wire.Trust(p.enc, p.raw), State: s, Incarnation: p.incarnation}
}

const (
	// listSlice bounds the plans that one look at the table visits; those that a
	// filter has to read cost some microseconds each.
	listSlice = 2000
	// listBytes bounds what one answer gathers.
	listBytes = 256 << 10
)

// list answers with what matches of the next plans behind the cursor. Who asks
// goes on until the page is full (KERNEL section 5).
func (m *Machine) list(c schema.LookPlans, from Asker, now moment, b *Batch) {
	out := schema.PlanSlice{Last: c.After}
	match := matcher(&c.Filter)
	visited, size := 0, 0
	m.sorted.Ascend(&plan{name: first(c)}, func(p *plan) bool {
		if p.name == c.After {
			return true
		}
		if past(p, c.Filter.Station) {
			return false
		}
		if visited == listSlice || len(out.Plans) == c.Limit || size > listBytes {
			out.More = true
			return false
		}
		visited++
		out.Last = p.name
		if !p.closing && match(p) {
			size += len(p.raw) + smallEvent/4
			out.Plans = append(out.Plans, p.view(now))
		}
		return true
	})
	b.answer(from, out, nil)
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

// matcher compiles a filter. It reads the definition only if the filter asks for
// something in it.
func matcher(f *schema.ListPlans) func(*plan) bool {
	prefix, wild := cutWildcard(f.Station)
	reads := f.PlanType != "" || f.Caller != "" || f.TenantID != "" || f.Category != "" || len(f.Labels) > 0
	return func(p *plan) bool {
		if f.Station != "" {
			if wild && !inStation(p.name.Station, prefix) || !wild && p.name.Station != prefix {
				return false
			}
		}
		if len(f.Status) > 0 && !slices.Contains(f.Status, string(p.status())) {
			return false
		}
		return !reads || p.matches(f)
	}
}

func (p *plan) matches(f *schema.ListPlans) bool {
	d, err := schema.LoadDefinition(p.raw)
	if err != nil {
		return false
	}
	if f.PlanType != "" && d.Plan.PlanType != f.PlanType ||
		f.Caller != "" && d.Plan.Caller != f.Caller ||
		f.TenantID != "" && d.Plan.TenantID != f.TenantID ||
		f.Category != "" && d.Plan.Category != f.Category {
		return false
	}
	for k, v := range f.Labels {
		if got, ok := d.Plan.Labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// cutWildcard splits the filter "a.>" into "a" and true.
func cutWildcard(station string) (string, bool) {
	if n := len(station) - 2; n > 0 && station[n:] == ".>" {
		return station[:n], true
	}
	return station, false
}

// inStation reports whether station lies below prefix, token by token.
func inStation(station, prefix string) bool {
	return len(station) > len(prefix) && station[len(prefix)] == '.' && station[:len(prefix)] == prefix
}

// openRuns answers with what is under way of a plan, as results without an end.
func (m *Machine) openRuns(c schema.OpenRuns, from Asker, b *Batch) {
	var out []schema.Result
	p := m.plans[c.Name]
	if p == nil {
		b.answer(from, out, nil)
		return
	}
	for _, o := range p.open {
		run := schema.Result{
			PlanID: p.name.PlanID, Station: p.name.Station,
			Occurrence: o.k, Key: schema.PlanKeyOf(p.name, p.incarnation, o.k), PlanTime: o.due.time(),
			RealRepet: p.realRepet, SkipNum: p.skipNum,
		}
		if o.trigger != 0 {
			run.Trigger, run.Key = schema.TriggerManual, schema.TriggerKeyOf(p.name, p.incarnation, o.trigger)
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
