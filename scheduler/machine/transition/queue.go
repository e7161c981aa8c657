package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// passBy notes what has fallen due of p while it has to wait: it waits its turn, or is lost.
func (t *Turn) passBy(p *state.Plan) {
	if admission.Queues(t.Partition, p) {
		t.queue(p)
		return
	}
	t.SkipPassed(p, t.Now+1, schema.ReasonPast)
}

// queue notes what has fallen due and waits its turn.
func (t *Turn) queue(p *state.Plan) {
	if n, last := p.Schedule.Passed(p.BehindQueue(), (t.Now + 1).Time()); n > 0 {
		k := p.Marked()
		k.Queued = last
		p.Mark(k)
		t.Touch(p)
	}
}
