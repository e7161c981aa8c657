package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Queues hold the plans by the event that each waits for, and are set when a plan changes. An
// audit computes the place of a plan anew, so that a place which was not set is found: the
// simulation audits all plans after each step, an idle leader a few.

const (
	// auditSlice is how many plans one Tick audits; after a whole round no plan is audited for
	// auditRest.
	auditSlice = 64
	auditRest  = unit.Moment(100 * time.Millisecond / time.Microsecond)
)

// An audit is the progress of one round through the plans.
type audit struct {
	after schema.PlanName
	again unit.Moment // when the round goes on
}

// Audit names the plans whose place in a queue differs from the computed one, each with its
// queue; none: all places are right. It changes nothing.
func (m *Machine) Audit(now time.Time) (differ []string) {
	at := unit.MomentOf(now)
	if !m.auditable(at) {
		return nil
	}
	m.part.Sorted.Scan(func(p *state.Plan) bool {
		if what := m.differs(p, at); what != "" {
			differ = append(differ, fmt.Sprintf("%s: %s", p.Name, what))
		}
		return true
	})
	return differ
}

// auditable reports that the queues were set by a clock that shows no later than a moment.
func (m *Machine) auditable(now unit.Moment) bool {
	return m.setback.since == 0 && now >= m.setback.latest
}

// differs is [transition.Differs], but is empty for a plan whose station was put and that has
// yet to be looked at for it.
func (m *Machine) differs(p *state.Plan, now unit.Moment) string {
	for _, r := range m.revisits {
		if r.station == p.Name.Station && p.Name.PlanID > r.after {
			return ""
		}
	}
	if m.isStale(p) {
		return ""
	}
	return transition.Differs(&m.part, p, now)
}

// auditSome audits some more plans. A place that differs is counted and corrected.
func (t *turn) auditSome() {
	a := &t.m.audit
	if t.Now < a.again && a.again <= t.Now+auditRest || !t.m.auditable(t.Now) {
		return
	}
	a.again = t.Now + auditRest
	left := auditSlice
	t.Sorted.Ascend(&state.Plan{Name: a.after}, func(p *state.Plan) bool {
		if p.Name == a.after {
			return true
		}
		if left--; left < 0 {
			return false
		}
		a.after = p.Name
		if t.m.differs(p, t.Now) != "" {
			t.Counts.Differences++
			transition.Set(t.Partition, p, t.Now, partition.Changed)
		}
		return true
	})
	if left >= 0 {
		a.after = schema.PlanName{} // from the beginning
	}
}
