package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// takeStock takes the occurrences off the schedule that have fallen due and were not taken,
// because a pause or another schedule would hide their due times. One that waits its turn is
// opened, to run in its turn; one that will never run is skipped.
func (t *turn) takeStock(p *state.Plan) {
	if p.Next.K == 0 || p.Schedule.Continuous() {
		return
	}
	if p.Skip != nil && !p.IsPaused() {
		transition.SkipAllAsked(&t.Turn, p)
	}
	why := schema.ReasonPast
	if t.Holding.On && p.Suspension == nil {
		t.OpenHeld(p)
	}
	switch {
	case p.IsPaused():
		why = schema.ReasonPaused
	case admission.Queues(t.Partition, p):
		for p.Next.K != 0 && unit.DueMoment(p.Next.At) <= t.Now && p.Weight() < state.MaxOpen {
			if p.ExcludesNext() {
				transition.SkipExcluded(&t.Turn, p, (t.Now + 1).Time())
				continue
			}
			t.Open(p, p.Next)
		}
		why = schema.ReasonConcurrency
	}
	t.SkipPassed(p, t.Now+1, why)
}

// holdBack keeps p, which is paused, from beginning an occurrence that no worker has. The
// occurrence is skipped, or waits for the end of the pause.
func (t *turn) holdBack(p *state.Plan, drops bool) {
	for _, o := range slices.Clone(p.Open) {
		switch {
		case o.IsOut():
		case drops:
			t.Abandon(p, o, schema.ReasonPaused, transition.Because(&t.Turn, p, schema.ReasonPaused))
		case p.HoldsBack(o):
			for _, x := range slices.Clone(o.Live) {
				t.PutBack(p, o, x)
			}
		}
	}
}
