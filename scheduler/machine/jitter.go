package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// mostJitter bounds how late an occurrence of p begins that was due at a moment and has been
// taken off the schedule: by p's jitter. Where what no worker has gives way to the next
// occurrence it begins before that is due, because else a jitter as long as the interval
// would have nearly all of them give way while they wait for it. Temporal's schedules bound
// theirs by the next nominal time, too (CompiledSpec.GetNextTime).
func mostJitter(m *Partition, p *state.Plan, due unit.Moment) unit.Moment {
	most := unit.Moment(p.Options().Jitter / time.Microsecond)
	if p.Next.K == 0 || p.Schedule.Continuous() {
		return most // nothing falls due while it waits
	}
	switch m.termsOf(p).Overlap {
	case schema.BusyQueue, schema.BusyParallel, schema.BusyAllow:
		return most // the next one waits for it, or runs beside it
	default:
		return min(most, unit.DueMoment(p.Next.At)-due)
	}
}
