package state

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Halt says why a plan is not served.
type Halt uint8

const (
	Served Halt = iota
	Paused
	Pending
	PlanError
)

// halts are the statuses that plans are shown and stored with while they are
// not served.
var halts = [...]schema.Status{Paused: schema.StatusPaused, Pending: schema.StatusPending, PlanError: schema.StatusPlanError}

func haltOf(s schema.Status) Halt {
	for h, status := range halts {
		if status == s {
			return Halt(h)
		}
	}
	return Served
}

// A Halted tells of a plan that is not served why that is, and of one that is paused since
// when; zero: since it was accepted.
type Halted struct {
	Reason schema.Reason
	Since  unit.Moment
}

// Halting returns what is known of why p is not served.
func (r *Record) Halting() Halted {
	if r.Halted == nil {
		return Halted{}
	}
	return *r.Halted
}

// Stop has p not served any more.
func (r *Record) Stop(why Halt, h Halted) {
	r.Halt, r.Halted = why, nil
	if h != (Halted{}) {
		kept := h
		r.Halted = &kept
	}
}

// A lastState is the state of a result, in one byte: every plan has one.
type lastState uint8

// lastStates are the states that results have; the first is that of a plan without any.
var lastStates = [...]schema.State{
	"", schema.StateOK, schema.StateError, schema.StateFailure, schema.StateTimeout, schema.StateSkipped, schema.StateCancelled,
}

func LastStateOf(s schema.State) lastState { return lastState(max(0, slices.Index(lastStates[:], s))) }

func (e lastState) State() schema.State { return lastStates[e] }

// Stopped reports that a person has to act before anything of the plan is due.
func (h Halt) Stopped() bool { return h == Pending || h == PlanError }

// IsBlamed reports that p made a machine panic, and no person has looked at it since.
func (p *Plan) IsBlamed() bool { return p.Halting().Reason == schema.ReasonInternal }

// IsGone reports that p was closed, so that it is gone to its users. One that is to blame
// is shown all the same: else nobody could have it go on, or take it away.
func (p *Plan) IsGone() bool { return p.Closing && !p.IsBlamed() }
