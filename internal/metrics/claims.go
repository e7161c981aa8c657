package metrics

import "github.com/prometheus/client_golang/prometheus"

// Claims count the claims that wait for work at this node.
type Claims struct {
	waiting  prometheus.Gauge
	rejected prometheus.Counter
}

func newClaims(r prometheus.Registerer) *Claims {
	c := &Claims{
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + "claims_waiting", Help: "Claims that wait for work at this node."}),
		rejected: prometheus.NewCounter(prometheus.CounterOpts{
			Name: prefix + "claims_turned_away_total",
			Help: "Claims that found no place to wait, or had to make room, and were answered with a delay to retry after.",
		}),
	}
	r.MustRegister(c.waiting, c.rejected)
	return c
}

// Waiting notes how many wait now.
func (c *Claims) Waiting(n int) { c.waiting.Set(float64(n)) }

// Rejected notes a claim that could not wait, or not any longer.
func (c *Claims) Rejected() { c.rejected.Inc() }
