package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// An execution whose time is up ends when what was said by then has been heard: its
// worker's answer may have come in time, and lie unread. Nor does it end before it has left:
// the append that it waits for may take longer than it has. Only such executions wait, and
// what their plans have to judge by them; whatever else is due goes on.

// hearing is what the machine knows of what it was told, and what waits for that.
type hearing struct {
	to      unit.Moment   // all that was said up to here was stepped
	done    uint64        // all batches up to this one were performed
	waiting []*state.Plan // of the executions that wait
	heard   []*state.Plan // that are to be looked at since they waited
}

// Unheard reports that executions wait to end until what was said by now was heard, and what
// was ordered has left. Who steps the machine finds out, for all of them together, and steps
// a Listened, after whatever was said.
func (m *Machine) Unheard() bool { return len(m.hearing.waiting) > 0 }

// awaitsWord reports that x, whose time was up at a moment, is not to end yet, since what
// was said up to then was not heard, or x has not left. Of a clock that was set back, what it
// showed before says nothing; and nobody has a word about what was under way in a backup.
func (t *Turn) awaitsWord(p *state.Plan, x *state.Execution, at unit.Moment) bool {
	if t.now < t.hearing.to {
		t.hearing.to = 0
	}
	if x.Ordered <= t.hearing.done && (at <= t.hearing.to || at <= t.restored[p]) {
		return false
	}
	if x.Unheard != at {
		x.Unheard = at
		t.hearing.waiting = append(t.hearing.waiting, p)
	}
	return true
}

// judgesLater reports that p's next occurrence has no verdict yet, since one of p's
// executions counts in it and waits for a word.
func judgesLater(m *Partition, p *state.Plan) bool {
	for _, o := range p.Open {
		if slices.ContainsFunc(o.Live, (*state.Execution).IsUnheard) {
			return verdictOn(m, p) != start
		}
	}
	return false
}

// listened has the plans looked at that have waited for it.
func (t *turn) listened(ev event.Listened) {
	h := &t.hearing
	h.to, h.done = min(unit.MomentOf(ev.To), t.now), ev.Performed
	h.heard = append(h.heard, h.waiting...)
	h.waiting = nil
}

// lookAtHeard has some of the plans looked at whose executions have waited.
func (t *turn) lookAtHeard() {
	h := &t.hearing
	if len(h.heard) == 0 {
		return
	}
	t.m.looks++
	some := min(len(h.heard), tickSlice)
	for _, p := range h.heard[:some] {
		if p.Removed {
			continue
		}
		for _, o := range p.Open {
			for _, x := range o.Live {
				x.Unheard = 0
			}
		}
		t.timetable.Set(p.Handle, t.now)
	}
	if h.heard = h.heard[some:]; len(h.heard) == 0 {
		h.heard = nil
	}
}
