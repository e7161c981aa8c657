package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// SkipAsked skips the due occurrences that a user asked to skip.
func (t *Turn) SkipAsked(p *state.Plan) {
	if p.Schedule.Continuous() { // all at once, because there is no time between them
		t.skipDue(p, p.Skip.K-p.Prev.K, calendar.Due{K: p.Skip.K, At: p.Next.At}, schema.ReasonManual, admission.SkippedBy(p, 0))
		return
	}
	run := p.Schedule.Run(p.Prev, (t.Now + 1).Time())
	n, last := run.N, run.Last
	if last.K > p.Skip.K {
		n, last = p.Skip.K-p.Prev.K, p.Skip.Due
	}
	if n > 0 {
		left := int64(-1)
		if p.Skip.K != state.SkipAll {
			left = p.Schedule.Runs(last, p.Skip.Due)
		}
		t.skipDue(p, n, last, schema.ReasonManual, admission.SkippedBy(p, left))
	}
}
