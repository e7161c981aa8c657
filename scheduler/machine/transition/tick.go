package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// look does all that is due for p: executions past their deadline end, occurrences
// that fell due open or are skipped, those whose time has come are dispatched; of a
// plan that was closed, what nobody has is skipped. Then p closes if nothing can come
// any more, or gets its next look.
func (t *Turn) Look(p *state.Plan) {
	t.At(p)
	t.Probe("look", p.Name)
	t.expire(p)
	if t.tidy(p); p.Removed {
		return
	}
	if p.IsGone() && (t.Definitions.Waits(p) || !t.skipRest(p)) {
		Schedule(t.Partition, p)
		return
	}
	t.openDue(p)
	t.start(p)
	if p.Done() {
		t.close(p)
		return
	}
	SettleTurns(t.Partition, p, t.Now)
	t.readAhead(p)
	Schedule(t.Partition, p)
	t.Probe("looked", p.Name)
}
