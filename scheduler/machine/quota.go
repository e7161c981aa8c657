package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/schema"
)

// countPlans begins to count, if there is a quota.
func (m *Machine) countPlans() {
	m.Quota = partition.Quota{Most: partition.Portion(m.Config.TenantPlans, int64(m.Config.Partition), int64(m.Config.Partitions))}
	if m.Quota.Most == 0 {
		return
	}
	m.Quota.Plans = map[schema.Tenant]int64{}
	for _, p := range m.Plans {
		m.CountPlan(p, 1)
	}
}
