package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Standing is the response to commands on p, in its present state.
func Standing(p *state.Plan, now unit.Moment) schema.Standing {
	s := schema.Standing{
		PlanID: p.Name.PlanID, Station: p.Name.Station,
		State: p.Status(), PlanTime: state.NextDue(p, now), Revision: p.Revision,
	}
	if p.IsPaused() || p.Skips() != 0 && s.PlanTime.IsZero() {
		s.LastPlanTime = state.LastDue(p)
	}
	if p.Removed || p.IsGone() {
		s.State, s.PlanTime, s.LastPlanTime = schema.StatusClosed, time.Time{}, time.Time{}
	}
	return s
}

// Plan is the view of p: the definition as published, and its present state.
func Plan(p *state.Plan, now unit.Moment) command.PlanView {
	s := schema.PlanState{
		Status: p.Status(), PlanTime: state.NextDue(p, now),
		Occurrence: p.Prev.K, Attempt: int64(p.Attempt), N: p.N,
		RealRepet: p.RealRepet, SkipNum: p.SkipNum, SkipNext: p.Skips(),
		LastState: p.Last.State(), ExecTime: p.ExecTime.Time(),
		Revision: p.Revision, Reason: p.Suspended().Reason, Inbox: Inbox(p),
		Paused: paused(p), Skips: skips(p),
	}
	for _, o := range p.Open {
		view := schema.OpenOccurrence{
			Occurrence: o.K, PlanTime: o.Due.Time(),
			NextTry: nextTry(p, o).Time(), Errors: o.Errors, LastError: o.LastError,
		}
		for _, x := range o.Live {
			view.Executions = append(view.Executions, schema.OpenExecution{
				N: x.N, Attempt: x.Attempt, State: x.State, WorkerID: x.Worker, Deadline: x.Deadline.Time(),
				PingExpireTime: x.PingBy.Time(), Progress: x.Progress,
			})
		}
		for e := range o.Left {
			if e.N != 0 {
				view.Executions = append(view.Executions, schema.OpenExecution{N: e.N, Attempt: e.Attempt, State: e.State, WorkerID: e.Worker})
			}
		}
		s.Open = append(s.Open, view)
	}
	return command.PlanView{PlanView: schema.PlanView{Plan: wire.Trust(p.Enc, p.Raw), State: s}, Incarnation: p.Incarnation}
}

// paused shows who paused p; nil: it is not paused.
func paused(p *state.Plan) *schema.Paused {
	by, is := state.PauseOf(p)
	if !is {
		return nil
	}
	return &schema.Paused{Since: by.Since.Time(), Attribution: by.Attribution}
}

// skips shows the request that has p's next occurrences skipped; nil: there is none.
func skips(p *state.Plan) *schema.Skips {
	if p.Skip == nil {
		return nil
	}
	return &schema.Skips{Left: p.Skips(), Since: p.Skip.Since.Time(), Attribution: p.Skip.Attribution}
}

// nextTry is the earliest moment of the next attempt of o; 0: there is none, or o never had an
// attempt, or it depends on a person.
func nextTry(p *state.Plan, o *state.Occurrence) unit.Moment {
	if p.Suspension != nil {
		return 0
	}
	return o.NextTry()
}

// ToCancel returns the occurrence of run n: an execution under way, the last one of an
// occurrence that waits for its retry or for a person, or one that waits for its turn.
func ToCancel(p *state.Plan, n int64) (*state.Occurrence, error) {
	if n < 1 || n > p.N {
		return nil, &schema.Error{
			Code: schema.CodeNotFound, Field: "n",
			Message: fmt.Sprintf("%s has no run %d; the last number it gave is %d", p.Name, n, p.N),
		}
	}
	goesOn := ""
	for _, o := range p.Open {
		newest := o.Newest()
		switch {
		case newest == n || slices.ContainsFunc(o.Live, func(x *state.Execution) bool { return x.N == n }):
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

// Inbox is the view of p's inbox; nil if it has none.
func Inbox(p *state.Plan) *schema.InboxState {
	in := p.Inbox
	if in == nil {
		return nil
	}
	out := &schema.InboxState{Key: in.Key, Length: in.Length(), Bytes: p.Inbox.Sizes.Bytes, Mark: in.Mark,
		Notified: in.Notified, Manner: in.Manner, AbandonAfter: schema.Seconds(float64(in.Abandon) / 1e6),
	}
	out.Errors, out.LastError = in.Failed, in.LastError
	for _, o := range p.Open {
		out.Locked += o.Items
		if in.LastError == nil && o.LastError != nil { // an earlier release kept it there alone
			out.Errors, out.LastError = o.Errors, o.LastError
		}
	}
	return out
}

// Left is the rest of p's inbox after items were taken or given back.
func Left(p *state.Plan) command.InboxLeft {
	out := command.InboxLeft{Length: p.Inbox.Length()}
	if !p.Removed {
		out.PlanTime = state.InboxComes(p).Time()
	}
	return out
}

// Runs are the last runs of p, at most so many, those under way included.
func Runs(p *state.Plan, most int) string {
	live := int(min(p.Live(), int64(most)))
	return p.Runs.Text(most-live) + strings.Repeat("-", live)
}
