package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// passBy queues or skips the occurrences of p that fell due while p has to wait.
func (t *Turn) passBy(p *state.Plan) {
	if admission.Queues(t.Partition, p) {
		t.queue(p)
		return
	}
	t.SkipPassed(p, t.Now+1, schema.ReasonPast)
}

// queue marks the occurrences that fell due as queued.
func (t *Turn) queue(p *state.Plan) {
	if n, last := p.Schedule.Passed(p.BehindQueue(), (t.Now + 1).Time()); n > 0 {
		k := p.Marked()
		k.Queued = last
		p.Mark(k)
		t.Touch(p)
	}
}
