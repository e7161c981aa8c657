package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A quota bounds how many plans a tenant has at a time. It is the installation's, and is
// divided among the partitions as the limit of a station is, since no leader knows of the
// plans of another. Only a leader counts, and only it refuses: what is replayed was taken
// in, under whatever quota there was. The plans that deliver callbacks are the scheduler's
// own and count for nobody.
type quota struct {
	most  int64                   // plans of a tenant in this partition; 0: any number
	plans map[schema.Tenant]int64 // of those that have any; nil: nobody counts
}

// countPlans begins to count, if there is a quota.
func (m *Machine) countPlans() {
	m.quota = quota{most: portion(m.config.TenantPlans, int64(m.config.Partition), int64(m.config.Partitions))}
	if m.quota.most == 0 {
		return
	}
	m.quota.plans = map[schema.Tenant]int64{}
	for _, p := range m.plans {
		m.countPlan(p, 1)
	}
}

// countPlan adds p, which enters the table, to the plans of its tenant, or takes it away.
func (m *Partition) countPlan(p *state.Plan, by int64) {
	if m.quota.plans == nil || p.DeliversCallbacks() {
		return
	}
	t := p.Tenant()
	if m.quota.plans[t] += by; m.quota.plans[t] == 0 {
		delete(m.quota.plans, t)
	}
}

// admits refuses p, which is about to be a plan of its tenant, when that has as many as it
// may have.
func (m *Partition) admits(p *state.Plan) error {
	if m.quota.plans == nil || p.DeliversCallbacks() {
		return nil
	}
	t := p.Tenant()
	has := m.quota.plans[t]
	if has < m.quota.most {
		return nil
	}
	m.counts.OverQuota++
	where := ""
	if m.config.Partitions > 1 {
		where = fmt.Sprintf(" in one of %d partitions", m.config.Partitions)
	}
	return &schema.Error{
		Code: schema.CodeQuotaExceeded, TenantID: t.ID,
		Message: fmt.Sprintf("the quota of plans%s is used up, %d of %d, for %s: close or remove some, or have your operator give more (--tenant-plans)",
			where, has, m.quota.most, t),
	}
}
