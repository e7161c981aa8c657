package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stationmaster-io/stationmaster/schema"
)

// otherDamage is the label of kinds that a later release has found.
const otherDamage = "other"

func newDamage(r prometheus.Registerer) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: prefix + "damage", Help: "Losses of stored messages that were found and are not acknowledged.",
	}, []string{"kind"})
	r.MustRegister(g)
	for _, k := range schema.DamageKinds {
		g.WithLabelValues(string(k))
	}
	g.WithLabelValues(otherDamage)
	return g
}

// newGauge registers a gauge without labels.
func newGauge(r prometheus.Registerer, name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + name, Help: help})
	r.MustRegister(g)
	return g
}

// Captured notes how many streams capture executions.
func (s *Set) Captured(n int) { s.captures.Set(float64(n)) }

// ResultsOwn notes whether the stream of results has the own form.
func (s *Set) ResultsOwn(is bool) { s.resultsOwn.Set(flag(is)) }

// TokensStale notes whether the tokens of REST are older than their file.
func (s *Set) TokensStale(are bool) { s.tokensStale.Set(flag(are)) }

// flag is the value of a gauge that is 1 or 0.
func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Damaged notes the lost messages that are not acknowledged. One goroutine calls it.
func (s *Set) Damaged(lost []schema.Damage) {
	count := map[string]int{otherDamage: 0}
	for _, k := range schema.DamageKinds {
		count[string(k)] = 0
	}
	for i := range lost {
		kind := string(lost[i].Kind)
		if _, known := count[kind]; !known {
			kind = otherDamage
		}
		count[kind]++
	}
	for kind, n := range count {
		s.damage.WithLabelValues(kind).Set(float64(n))
	}
}
