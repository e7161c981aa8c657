package metrics

import "github.com/prometheus/client_golang/prometheus"

// quota counts the requests that were refused because of a tenant's quota.
type quota struct{ plans, rate prometheus.Counter }

func newQuota(r prometheus.Registerer) *quota {
	refused := counters(r, "quota_refused_total",
		"Plans and requests that were refused because their tenant had as many as it may have: plans at a time, or requests a second.", "limit")
	return &quota{plans: refused.WithLabelValues("plans"), rate: refused.WithLabelValues("rate")}
}

// OverRate notes a request that was refused because its tenant makes too many a second.
func (s *Set) OverRate() { s.quota.rate.Inc() }

// OverQuota notes so many plans that were refused because their tenants have as many as
// they may.
func (p *Partition) OverQuota(n uint64) {
	if n > 0 {
		p.overQuota.Add(float64(n))
	}
}
