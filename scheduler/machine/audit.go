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

// What plans wait for is held in queues, which are set when something changes. Whether that was
// forgotten anywhere, a computation from nothing tells: the simulation makes it for all plans
// after each step, and a leader that has nothing else to do for a few.

const (
	// auditSlice is how many plans one Tick audits, and auditRest how long none does then.
	auditSlice = 64
	auditRest  = unit.Moment(100 * time.Millisecond / time.Microsecond)
)

// An audit is how far the plans were gone through.
type audit struct {
	after schema.PlanName
	again unit.Moment // when it goes on
}

// Audit says which plans wait for something else at a moment than a computation from nothing
// has it, and in which queue; none: all is well. It changes nothing.
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

// auditable reports that plans were set by a clock that shows no later than a moment.
func (m *Machine) auditable(now unit.Moment) bool {
	return m.setback.since == 0 && now >= m.setback.latest
}

// differs is [transition.Differs], but for a plan that is gone through yet because its station
// was put.
func (m *Machine) differs(p *state.Plan, now unit.Moment) string {
	for _, r := range m.revisits {
		if r.station == p.Name.Station && p.Name.PlanID > r.after {
			return ""
		}
	}
	return transition.Differs(&m.part, p, now)
}

// auditSome holds the queues of some more plans against what they want. What differs is
// counted, and put right.
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
