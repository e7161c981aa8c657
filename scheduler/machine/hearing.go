package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Unheard reports that executions past their deadline wait for the replies so far to be read,
// and for their own dispatch to be confirmed. The caller finds out about both, once for all of
// them, and steps a Listened after the last of those replies.
func (m *Machine) Unheard() bool { return len(m.part.Hearing.Waiting) > 0 }

// listened looks at the plans that have waited for it.
func (t *turn) listened(ev event.Listened) {
	h := &t.Hearing
	h.To, h.Done = min(unit.MomentOf(ev.To), t.Now), ev.Performed
	h.Heard = append(h.Heard, h.Waiting...)
	h.Waiting = nil
}

// lookAtHeard looks at some of the plans whose executions have waited.
func (t *turn) lookAtHeard() {
	h := &t.Hearing
	if len(h.Heard) == 0 {
		return
	}
	some := min(len(h.Heard), tickSlice)
	for _, p := range h.Heard[:some] {
		if p.Removed {
			continue
		}
		for _, o := range p.Open {
			for _, x := range o.Live {
				x.Unheard = 0
			}
		}
		t.EvaluateLater(p)
	}
	if h.Heard = h.Heard[some:]; len(h.Heard) == 0 {
		h.Heard = nil
	}
}
