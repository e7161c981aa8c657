package state

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Suspension records why a plan is not served; nil: it is. It is replaced, and never changed
// in place.
type Suspension struct {
	Status    schema.Status // paused, pending or plan_error
	Reason    schema.Reason // why it is pending or in plan_error; empty: unknown
	Requested               // of a pause; its zero Since is when the plan was accepted
}

// Suspended returns why the plan is not served; the zero Suspension: it is.
func (r *Record) Suspended() Suspension {
	if r.Suspension == nil {
		return Suspension{}
	}
	return *r.Suspension
}

// PauseOf returns the request that paused p, and when; false: p is not paused.
func PauseOf(p *Plan) (by Requested, is bool) {
	if !p.IsPaused() {
		return Requested{}, false
	}
	by = p.Suspension.Requested
	if by.Since == 0 {
		by.Since = p.Accepted
	}
	return by, true
}

// IsPaused reports that the plan is paused.
func (r *Record) IsPaused() bool { return r.Suspended().Status == schema.StatusPaused }

// HoldsBack reports that the plan is paused, so that an execution of o that no worker has is not
// sent before the end of the pause. A run that a user triggered begins all the same.
func (p *Plan) HoldsBack(o *Occurrence) bool { return p.IsPaused() && p.Inbox == nil && o.Trigger == 0 }

// NeedsPerson reports that a person has to act before anything of the plan is due.
func (r *Record) NeedsPerson() bool { return r.Suspension != nil && !r.IsPaused() }

// suspends reports that a plan of that status is not served.
func suspends(s schema.Status) bool {
	return s == schema.StatusPaused || s == schema.StatusPending || s == schema.StatusPlanError
}

// A lastState is the state of a result, in one byte: every plan has one.
type lastState uint8

// lastStates are the states that results have; the first is that of a plan without any.
var lastStates = [...]schema.State{
	"", schema.StateOK, schema.StateError, schema.StateFailure, schema.StateTimeout, schema.StateSkipped, schema.StateCancelled,
}

func LastStateOf(s schema.State) lastState { return lastState(max(0, slices.Index(lastStates[:], s))) }

func (e lastState) State() schema.State { return lastStates[e] }

// IsBlamed reports that the plan made a machine panic, and no person has looked at it since.
func (r *Record) IsBlamed() bool { return r.Suspended().Reason == schema.ReasonInternal }

// IsGone reports that the plan was closed, so that it does not exist for its users. A blamed one
// is shown all the same, because a user has to be able to resume or remove it.
func (r *Record) IsGone() bool { return r.Closing && !r.IsBlamed() }
