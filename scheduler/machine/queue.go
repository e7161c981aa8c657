package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// dropQueue skips what has fallen due of a plan that ends: what waits its turn, and what was
// lost to an execution or to a halt, and is told with the end of that otherwise.
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
