package state

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// View shows p: the definition as it was sent, and where it stands now.
func (p *Plan) View(now unit.Moment) schema.PlanView {
	s := schema.PlanState{
		Status: p.Status(), PlanTime: p.Comes(now),
		Occurrence: p.Prev.K, Attempt: int64(p.Attempt), N: p.N,
		RealRepet: p.RealRepet, SkipNum: p.SkipNum, SkipNext: p.Skips(),
		LastState: p.Last.State(), ExecTime: p.ExecTime.Time(),
		Revision: p.Revision, Reason: p.Suspended().Reason, Inbox: p.InboxView(),
	}
	for _, o := range p.Open {
		view := schema.OpenOccurrence{
			Occurrence: o.K, PlanTime: o.Due.Time(),
			NextTry: p.nextTry(o).Time(), Errors: o.Errors, LastError: o.LastError,
		}
		for _, x := range o.Live {
			view.Executions = append(view.Executions, schema.OpenExecution{
				N: x.N, Attempt: x.Attempt, State: x.State, WorkerID: x.Worker, Deadline: x.Deadline.Time(),
				PingExpireTime: x.PingBy.Time(),
			})
		}
		for e := range o.Left {
			if e.N != 0 {
				view.Executions = append(view.Executions, schema.OpenExecution{N: e.N, Attempt: e.Attempt, State: e.State, WorkerID: e.Worker})
			}
		}
		s.Open = append(s.Open, view)
	}
	return schema.PlanView{Plan: wire.Trust(p.Enc, p.Raw), State: s, Incarnation: p.Incarnation}
}

// nextTry is when o is tried again at the earliest; 0: it is not, or never was tried, or when
// depends on a person.
func (p *Plan) nextTry(o *Occurrence) unit.Moment {
	if p.Suspension != nil {
		return 0
	}
	return o.NextTry()
}

// ToCancel returns the occurrence that run n stands for: one that is under way, the last
// one of an occurrence that waits for its retry or for a person, or one that waits its
// turn.
func (p *Plan) ToCancel(n int64) (*Occurrence, error) {
	if n < 1 || n > p.N {
		return nil, &schema.Error{
			Code: schema.CodeNotFound, Field: "n",
			Message: fmt.Sprintf("%s has no run %d; the last number it gave is %d", p.Name, n, p.N),
		}
	}
	goesOn := ""
	for _, o := range p.Open {
		newest := o.newest()
		switch {
		case newest == n || slices.ContainsFunc(o.Live, func(x *Execution) bool { return x.N == n }):
			return o, nil
		case slices.Contains(o.Ended, n), slices.Contains(o.Ended, -n), o.Trigger == n:
			goesOn = fmt.Sprintf("; its occurrence goes on as run %d", newest)
		}
	}
	return nil, &schema.Error{
		Code: schema.CodeConflict, Field: "n",
		Message: fmt.Sprintf("run %d of %s has ended%s", n, p.Name, goesOn),
	}
}

// newest returns the number of o's newest execution, or the one that was promised to it;
// 0: none yet.
func (o *Occurrence) newest() int64 {
	switch {
	case o.Executing():
		return o.Live[len(o.Live)-1].N
	case len(o.Ended) > 0:
		n := o.Ended[len(o.Ended)-1]
		return max(n, -n) // below zero: the numbers of votes
	default:
		return o.Trigger
	}
}
