package machine

import (
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/verdict"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// get shows a plan.
func get(t *turn, c command.GetPlan) (command.PlanView, error) {
	p := t.Find(c.Name)
	if p == nil || p.IsGone() {
		return command.PlanView{}, t.m.noPlan(c.Name)
	}
	t.At(p)
	shown := view.Plan(p, t.Now)
	shown.State.Waits = admission.WaitsOf(t.Partition, p, t.Now)
	if c.InForce {
		d, err := schema.LoadDefinition(p.Raw)
		if err != nil {
			return command.PlanView{}, &schema.Error{Code: schema.CodeInternal, Message: fmt.Sprintf("read the definition of %s: %v", p.Name, err)}
		}
		shown.InForce = d.Plan.InForce(p.Station.Record, t.Config.Defaults)
	}
	return shown, nil
}

// explainPlan answers with the known facts about an occurrence of a plan.
func explainPlan(t *turn, c command.ExplainPlan) (command.Explained, error) {
	if p := t.Find(c.Name); p != nil {
		t.At(p)
	}
	return t.m.Explain(c, t.Now.Time())
}

// Explain returns the facts that m has at a moment about an occurrence of a plan, also of one
// that closes. The error is as in the answer to c.
func (m *Machine) Explain(c command.ExplainPlan, now time.Time) (command.Explained, error) {
	p := m.part.Find(c.Name)
	if p == nil {
		return command.Explained{}, m.noPlan(c.Name)
	}
	known, err := verdict.Of(&m.part, p, &c, unit.MomentOf(now))
	explained := command.Explained{
		Known: known, Plan: wire.Trust(p.Enc, p.Raw), Station: p.Station.Record, Defaults: m.part.Config.Defaults,
		Incarnation: p.Incarnation,
		NoTime:      known.Reason == schema.ReasonCalendar && p.Rule() != nil && !p.Rule().LeavesTime(now),
	}
	explained.Errors, explained.LastError = failing(p, &c, &known)
	return explained, err
}

// failing is how often the explained occurrence has failed, and the last failure; nil: it has not. A queue
// that is asked about as a whole has the failures of its items, which outlive occurrences.
func failing(p *state.Plan, c *command.ExplainPlan, known *schema.Explanation) (int64, *schema.LastError) {
	if in := view.Inbox(p); in != nil && c.Occurrence == 0 && c.N == 0 && c.At.IsZero() {
		return in.Errors, in.LastError
	}
	for _, o := range p.Open {
		if o.K == known.Occurrence && (o.K != 0 || o.Newest() == known.N) {
			return o.Errors, o.LastError
		}
	}
	return 0, nil
}

// openRuns shows the runs of a plan that are under way, as results without an end.
func openRuns(t *turn, c command.OpenRuns) ([]schema.Result, error) {
	var out []schema.Result
	p := t.Plans[c.Name]
	if p == nil {
		return out, nil
	}
	t.At(p)
	repeated, err := t.m.repeated(p)
	if err != nil {
		return nil, err
	}
	for _, o := range p.Open {
		run := repeated
		run.Occurrence, run.PlanTime, run.MovedFrom = o.K, o.Due.Time(), o.From.Time()
		run.Key = event.PlanKeyOf(p.Name, p.Incarnation, o.K)
		run.RealRepet, run.SkipNum = p.RealRepet, p.SkipNum
		run.Trigger = o.MadeBy()
		if o.Trigger != 0 {
			run.Key = event.TriggerKeyOf(p.Name, p.Incarnation, o.Trigger)
		}
		if o.Trigger != 0 && o.Attempt == 0 { // it has its number, and waits its turn
			run.N, run.State = o.Trigger, schema.StateWaiting
			out = append(out, run)
		}
		for _, x := range o.Live {
			run.Attempt, run.N, run.ExecTime, run.State, run.WorkerID = x.Attempt, x.N, x.Sent.Time(), x.State, x.Worker
			run.Votes = slices.Clone(x.Ballot.Voted())
			out = append(out, run)
		}
	}
	slices.SortFunc(out, func(a, b schema.Result) int { return int(b.N - a.N) })
	return out, nil
}

// repeated is the part of the definition that results repeat. A hundred runs may have to fit in
// one answer, so it is shortened like that of results which have to fit in one append.
func (m *Machine) repeated(p *state.Plan) (schema.Result, error) {
	shared, count := p.Repeated()
	if p.Options().Log == schema.LogTrigger {
		shared, count = schema.WithoutMessages(p.Enc, shared)
	}
	shared, count = transition.Curtail(&m.part, p, shared, count)
	m.part.W.Reset(p.Enc, make([]byte, 0, len(shared)+128)) // a buffer of its own, because messages stay in it
	m.part.W.BeginMapWith(shared, count)
	m.part.W.EndMap()
	var out schema.Result
	if err := wire.DecodeLoose(wire.Trust(p.Enc, m.part.W.Bytes()), &out); err != nil {
		return out, &schema.Error{Code: schema.CodeInternal, Message: fmt.Sprintf("read the definition of %s: %v", p.Name, err)}
	}
	return out, nil
}
