package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// Look does all that is due for p: executions past their deadline end, occurrences
// that fell due open or are skipped, those whose time has come are dispatched; of a
// plan that was closed, what nobody has is skipped. Then p closes if nothing can come
// any more, or waits for what comes next.
func (t *Turn) Look(p *state.Plan) {
	t.At(p)
	t.Probe("look", p.Name)
	p.Again = false
	t.Note(p, partition.Looked)
	t.expire(p)
	if t.tidy(p); p.Removed {
		return
	}
	if p.IsGone() && (t.Definitions.Waits(p) || !skipRest(t, p)) {
		return
	}
	openDue(t, p)
	t.start(p)
	if p.Done() {
		t.close(p)
		return
	}
	t.readAhead(p)
	t.Probe("looked", p.Name)
}
