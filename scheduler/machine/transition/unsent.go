package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Unsent sends an execution that no leader has sent, unless a reply to it has arrived: under
// its number, nonce and key, and as the same attempt.
func (t *Turn) Unsent(ev event.Unsent) {
	p := t.Plans[ev.Name]
	if p == nil || p.Incarnation != ev.Incarnation || p.Closing {
		return
	}
	t.At(p)
	o, x := p.Find(ev.N)
	switch {
	case x == nil || !x.Adopted || x.State != schema.StateDispatched || x.Retry != 0 || !p.CanResend(x):
	case !t.IsResident(p):
		t.FetchFor(p, ev)
	default:
		t.sendAgain(p, o, x)
		t.Changed(p)
	}
}
