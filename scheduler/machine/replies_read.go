package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// AwaitsReplies reports that executions past their deadline wait for the replies so far to be read,
// and for their own dispatch to be confirmed. The caller finds out about both, once for all of
// them, and steps a RepliesRead after the last of those replies.
func (m *Machine) AwaitsReplies() bool { return len(m.part.ReplyWait.Waiting) > 0 }

// repliesRead looks at the plans that have waited for it.
func (t *turn) repliesRead(ev event.RepliesRead) {
	h := &t.ReplyWait
	h.To, h.Done = min(unit.MomentOf(ev.To), t.Now), ev.Performed
	h.Over = append(h.Over, h.Waiting...)
	h.Waiting = nil
}

// evaluateAfterReplies looks at some of the plans whose executions have waited.
func (t *turn) evaluateAfterReplies() {
	h := &t.ReplyWait
	if len(h.Over) == 0 {
		return
	}
	some := min(len(h.Over), tickSlice)
	for _, p := range h.Over[:some] {
		if p.Removed {
			continue
		}
		for _, o := range p.Open {
			for _, x := range o.Live {
				x.HeldDeadline = 0
			}
		}
		t.EvaluateLater(p)
	}
	if h.Over = h.Over[some:]; len(h.Over) == 0 {
		h.Over = nil
	}
}
