package transition

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// setting has the facts of p on which the delays of its occurrences depend. A plan that was accepted by a
// clock that was ahead was accepted at an unknown time.
func setting(t *Turn, p *state.Plan) state.Setting {
	accepted := p.Accepted
	if accepted > t.Now+state.SetbackFrom {
		accepted = 0
	}
	return state.Setting{
		From: t.LedUntil, Until: t.Since, Accepted: accepted,
		Jitter: unit.Moment(p.Options().Jitter / time.Microsecond), Pushed: p.Inbox != nil,
	}
}

// Begins notes why x begins late, if it does; c is the cause that is not known otherwise.
func Begins(t *Turn, p *state.Plan, o *state.Occurrence, x *state.Execution, c state.Delay) {
	if o.Attempt > 1 && o.Account == nil {
		c = state.DelayRetry
	}
	o.Begins(x, c, t.Now, setting(t, p))
}

// isHeld notes the cause for which o, whose time has come, waits.
func isHeld(t *Turn, p *state.Plan, o *state.Occurrence) {
	o.Held = true
	if c, is := delayOf(admission.HoldOf(t.Partition, p, o, t.Now).For); is && o.Due < t.Now {
		o.WaitsFor(c, t.Now, setting(t, p))
	}
}

// delayOf is the cause of a hold; false: the occurrence is under way, or ends.
func delayOf(h admission.HoldKind) (state.Delay, bool) {
	switch h {
	case admission.Claim:
		return state.DelayClaim, true
	case admission.Room:
		return state.DelayRoom, true
	case admission.Turn:
		return state.DelayTurn, true
	case admission.Lock:
		return state.DelayLock, true
	case admission.Person:
		return state.DelayPerson, true
	case admission.Resume:
		return state.DelayResume, true
	case admission.Journal:
		return state.DelayJournal, true
	default:
		return 0, false
	}
}

// opensLate notes why o is opened after its time, which is known of one that waited in the
// schedule.
func opensLate(t *Turn, p *state.Plan, o *state.Occurrence) {
	switch {
	case t.Now-o.Due <= state.LateFrom:
	case o.Held, o.CaughtUp:
		c := state.DelayTurn
		if admission.TurnOf(t.Partition, p) == schema.WaitRoom {
			c = state.DelayRoom
		}
		o.WaitsFor(c, t.Now, setting(t, p))
	case t.Holding.Starts.At(p.Handle) != 0:
		o.WaitsFor(state.DelayJournal, t.Now, setting(t, p))
	}
}

// Resumes notes how long the open occurrences of p waited for the end of its pause.
func Resumes(t *Turn, p *state.Plan) {
	for _, o := range p.Open {
		if !o.Executing() && o.At != 0 && o.At <= t.Now {
			o.WaitsFor(state.DelayResume, max(o.At, p.Suspended().Since), setting(t, p))
		}
	}
}
