package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// Look does everything due for p: executions past their deadline end, occurrences that fell due
// open or are skipped, and those whose time has come are dispatched; the occurrences of a
// closed plan that no worker has are skipped. Then p closes if nothing is left to run, or waits
// for its next moment.
func (t *Turn) Evaluate(p *state.Plan) {
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
