package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// halt says why a plan is not served.
type halt uint8

const (
	served halt = iota
	paused
	pending
	planError
)

// halts are the statuses that plans are shown and stored with while they are
// not served.
var halts = [...]schema.Status{paused: schema.StatusPaused, pending: schema.StatusPending, planError: schema.StatusPlanError}

func haltOf(s schema.Status) halt {
	for h, status := range halts {
		if status == s {
			return halt(h)
		}
	}
	return served
}

// A halted tells of a plan that is not served why that is, and of one that is paused since
// when; zero: since it was accepted.
type halted struct {
	reason schema.Reason
	since  unit.Moment
}

// halting returns what is known of why p is not served.
func (p *plan) halting() halted {
	if p.halted == nil {
		return halted{}
	}
	return *p.halted
}

// stop has p not served any more.
func (p *plan) stop(why halt, h halted) {
	p.halt, p.halted = why, nil
	if h != (halted{}) {
		p.halted = &h
	}
}

// A lastState is the state of a result, in one byte: every plan has one.
type lastState uint8

// lastStates are the states that results have; the first is that of a plan without any.
var lastStates = [...]schema.State{
	"", schema.StateOK, schema.StateError, schema.StateFailure, schema.StateTimeout, schema.StateSkipped, schema.StateCancelled,
}

func lastStateOf(s schema.State) lastState { return lastState(max(0, slices.Index(lastStates[:], s))) }

func (e lastState) state() schema.State { return lastStates[e] }

// stopped reports that a person has to act before anything of the plan is due.
func (h halt) stopped() bool { return h == pending || h == planError }
