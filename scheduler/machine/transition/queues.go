package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A turn notes which plans it has to do with, and sets their queues when it ends.

// Changed notes that something of p has changed that it may wait for.
func (t *Turn) Changed(p *state.Plan) { t.Note(p, partition.Changed) }

// LookAgain has p looked at next, whatever it waits for: a Tick does.
func (t *Turn) LookAgain(p *state.Plan) {
	p.Again = true
	t.Note(p, partition.Asked)
}

// Note notes that this turn has to do with p, and why.
func (t *Turn) Note(p *state.Plan, why partition.Occasion) {
	if last := len(t.Touched) - 1; last >= 0 && t.Touched[last].P == p {
		t.Touched[last].Why = t.Touched[last].Why | why
		return
	}
	t.Touched = append(t.Touched, partition.Touch{P: p, Why: why})
}

// Settle ends a turn: what it had to do with waits for what it now wants.
func (t *Turn) Settle() {
	for i := 0; i < len(t.Touched); i++ {
		t.Probe("queues", t.Touched[i].P.Name)
		Set(t.Partition, t.Touched[i].P, t.Now, t.Touched[i].Why)
	}
	clear(t.Touched)
	t.Touched = t.Touched[:0]
}

// Set has p wait for what it now wants, in all queues, and calls who has a turn for that.
func Set(m *partition.Partition, p *state.Plan, now unit.Moment, why partition.Occasion) {
	if p.Removed {
		return
	}
	settleTurns(m, p, now)
	w := admission.Wants(m, p, now)
	partition.Set(m, p, &w, now, why)
}

// Differs says what of p's queues is not as a computation from nothing has it; empty: nothing.
func Differs(m *partition.Partition, p *state.Plan, now unit.Moment) string {
	w := admission.Wants(m, p, now)
	what := partition.Differs(m, p, &w, now)
	if what == "timetable" && admission.AsksForRoom(m, p) {
		return "" // nobody looks at it because others end
	}
	return what
}
