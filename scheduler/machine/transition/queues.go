package transition

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A turn notes the plans that it concerns and sets their queues at its end.

// Changed notes that a part of p has changed on which its queues depend.
func (t *Turn) Changed(p *state.Plan) { t.Note(p, partition.Changed) }

// EvaluateLater has the next Tick look at p, in addition to its other waits.
func (t *Turn) EvaluateLater(p *state.Plan) {
	p.Again = true
	t.Note(p, partition.Asked)
}

// Note notes that this turn concerns p, and for which occasion.
func (t *Turn) Note(p *state.Plan, why partition.Occasion) {
	if last := len(t.Touched) - 1; last >= 0 && t.Touched[last].P == p {
		t.Touched[last].Why = t.Touched[last].Why | why
		return
	}
	t.Touched = append(t.Touched, partition.Touch{P: p, Why: why})
}

// Settle sets the queues of the plans that the turn concerned.
func (t *Turn) Settle() {
	for i := 0; i < len(t.Touched); i++ {
		t.Partition.At(t.Touched[i].P)
		t.Probe("queues", t.Touched[i].P.Name)
		Set(t.Partition, t.Touched[i].P, t.Now, t.Touched[i].Why)
	}
	clear(t.Touched)
	t.Touched = t.Touched[:0]
}

// Set places p in the queues that it now wants, and calls the plans that have a turn because of
// that.
func Set(m *partition.Partition, p *state.Plan, now unit.Moment, why partition.Occasion) {
	if p.Removed {
		return
	}
	settleTurns(m, p, now)
	w := admission.Wants(m, p, now)
	partition.Set(m, p, &w, now, why)
	m.Book.Set(p.Handle, m.CountsOf(p.Station), admission.ShapeOf(m, p, now))
}

// Differs names the queue of p that differs from a computation from scratch; empty if none
// does.
func Differs(m *partition.Partition, p *state.Plan, now unit.Moment) string {
	w := admission.Wants(m, p, now)
	what := partition.Differs(m, p, &w, now)
	if what == "timer queue" && admission.AsksForRoom(m, p) {
		what = "" // no look is due, because only the end of other executions makes room
	}
	if what == "" && countsOtherwise(m, p, now) {
		what = fmt.Sprintf("counts as %v, is %v", m.Book.At(p.Handle), admission.ShapeOf(m, p, now))
	}
	return what
}

// countsOtherwise reports that p counts as something else than it is. Time alone may change the cause
// of a wait, from a retry to a limit; the plan counts as before then, until a part of it changes.
func countsOtherwise(m *partition.Partition, p *state.Plan, now unit.Moment) bool {
	counts, is := m.Book.At(p.Handle), admission.ShapeOf(m, p, now)
	if counts.Standing() != is.Standing() {
		return true
	}
	if next := unit.Sooner(m.TimerQueue.At(p.Handle), m.Holding.Starts.At(p.Handle)); counts == is || next != 0 && next <= now ||
		m.Definitions.Waits(p) || admission.AsksForRoom(m, p) {
		return false
	}
	for _, o := range p.Open {
		if at := p.StartsAt(o); at <= now && admission.ShapeOf(m, p, at-1) == counts {
			return false
		}
	}
	return p.Next.K == 0 || unit.DueMoment(p.Next.At) > now || admission.ShapeOf(m, p, unit.DueMoment(p.Next.At)-1) != counts
}
