package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/schema"
)

// countPlans begins to count the plans of each tenant, if there is a quota.
func (m *Machine) countPlans() {
	m.part.Quota = partition.Quota{Most: partition.Portion(m.part.Config.TenantPlans, int64(m.part.Config.Partition), int64(m.part.Config.Partitions))}
	if m.part.Quota.Most == 0 {
		return
	}
	m.part.Quota.Plans = map[schema.Tenant]int64{}
	for _, p := range m.part.Plans {
		m.part.CountPlan(p, 1)
	}
}
