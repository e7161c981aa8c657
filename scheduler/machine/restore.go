package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// costOfRestore bounds what a plan of that many open occurrences adds, before it is
// looked at; one that exists, what it adds to create that.
func (m *Machine) costOfRestore(c schema.RestorePlan) int {
	d := &c.Definition.Plan
	if p := m.plans[schema.PlanName{Station: d.Station, PlanID: d.PlanID}]; p != nil {
		return len(c.Definition.Raw) + p.CostOfStock()
	}
	open := min(c.Record.Field("open").Len(), state.MaxOpen)
	return len(c.Definition.Raw) + len(c.Record.Raw()) + 2*state.SmallEvent + open*(state.FreshBound+12*state.MaxEnded+schema.MaxName)
}

// restore enters a plan from a backup, or treats one that exists as the request says.
func (t *turn) restore(c schema.RestorePlan) (schema.Created, error) {
	d := c.Definition
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := t.readable(name); err != nil {
		return schema.Created{}, err
	}
	if p := t.plans[name]; p != nil {
		return t.createOver(p, schema.CreatePlan{Definition: d})
	}
	if d.Plan.OnConflict == schema.ConflictKeep && t.lately.Find(name, d.Raw, t.now) != nil {
		return schema.Created{PlanID: name.PlanID, Station: name.Station, State: schema.StatusClosed}, nil
	}
	r, err := state.ReadRecord(c.Record, &d.Plan, t.now)
	if err != nil {
		return schema.Created{}, err
	}
	p := &state.Plan{Name: name, Record: r.State()}
	if err := t.prepare(p, d); err != nil {
		return schema.Created{}, err
	}
	t.incarnation++
	p.Incarnation = t.incarnation
	if r.SkipTo > 0 && r.SkipTo != state.SkipAll { // its time is the schedule's to say
		p.SkipNext(r.SkipTo - r.Occurrence)
	}
	if k := p.Marked(); k.Queued.K != 0 { // likewise
		_, last := p.Schedule.Passed(p.Prev, k.Queued.At.Add(1))
		k.Queued = calendar.Due{}
		if last.K > p.Prev.K {
			k.Queued = last
		}
		p.Mark(k)
	}
	for _, o := range p.Open {
		for _, x := range slices.Clone(o.Live) {
			p.Lose(o, x, t.now)
		}
	}
	t.enter(p)
	t.restored[p] = t.now
	t.b.AppendRow(event.RowDefinition, p.Name, 0, p.Raw)
	t.touch(p)
	t.tell(p, schema.Notice{Kind: schema.NoticeCreated})
	p.LookAhead(t.now)
	t.setRight(p, t.now) // the clock that its record was written by may have been ahead
	return t.created(p, true), nil
}

// actsOn is the moment since when somebody acts on p: what fell due before was missed.
// It is a whole millisecond, since what a plan is accepted at is: what came in the same
// one was not missed.
func (m *Partition) actsOn(p *state.Plan) unit.Moment { return max(m.since/1000*1000, m.restored[p]) }
