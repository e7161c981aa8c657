package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// attemptsBefore is how many attempts o, which begins, goes on from.
func attemptsBefore(m *Partition, p *state.Plan, o *state.Occurrence) int64 {
	k := p.Marked()
	if k.Failed == 0 || o.Trigger != 0 {
		return 0
	}
	switch m.termsOf(p).Failure {
	case schema.FailedRetry:
		return k.Failed
	case schema.FailedSkip:
		if k.Yielded {
			return k.Failed + 1 // the skipped occurrence stands for an attempt
		}
	}
	return 0
}
