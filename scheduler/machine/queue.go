package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// dropQueue skips the due occurrences of a plan that ends: those that wait their turn, and those
// that were lost to an execution or a suspension, which are otherwise reported when that ends.
func (t *turn) dropQueue(p *state.Plan) {
	switch {
	case p.IsPaused():
		t.takeStock(p)
	case p.Next.K == 0, p.Schedule.Continuous():
	case admission.Queues(t.Partition, p):
		t.SkipPassed(p, t.Now+1, schema.ReasonManual)
	default:
		t.SkipPassed(p, t.Now+1, schema.ReasonPast)
	}
}
