package metrics

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A Set has all metrics of a node. Its parts are safe for concurrent use.
type Set struct {
	registry    *prometheus.Registry
	flows       *flows
	requests    *requests
	quota       *quota
	damage      *prometheus.GaugeVec
	captures    prometheus.Gauge
	resultsOwn  prometheus.Gauge
	tokensStale prometheus.Gauge
	Claims      *Claims
	API         *API
	HTTPCalls   *HTTPCalls
	Panics      *Panics
	partitions  atomic.Pointer[func() []Standing]
	ready       atomic.Pointer[func() bool]
}

// New returns a set that has counted nothing. Version is the release, for
// stationmaster_build_info.
func New(version string) *Set {
	s := &Set{registry: prometheus.NewRegistry()}
	s.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(version),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: prefix + "ready", Help: "1 while /readyz reports ready, 0 otherwise.",
		}, s.isReady),
		standings{&s.partitions},
	)
	s.flows = newFlows(s.registry)
	s.requests = newRequests(s.registry)
	s.quota = newQuota(s.registry)
	s.damage = newDamage(s.registry)
	s.captures = newGauge(s.registry, "captures", "Streams that take in executions, and so hide that no worker is there.")
	s.resultsOwn = newGauge(s.registry, "results_own", "1 when the stream of results has the own form, 0 when it has the public one.")
	s.tokensStale = newGauge(s.registry, "tokens_stale", "1 while the file of tokens cannot be used, and those from before stay, else 0.")
	s.Claims = newClaims(s.registry)
	s.API = newAPI(s.registry)
	s.HTTPCalls = newHTTPCalls(s.registry)
	s.Panics = newPanics(s.registry)
	return s
}

// buildInfo is the constant 1 with the release as its label.
func buildInfo(version string) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: prefix + "build_info", Help: "Always 1; the label is the release.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	info.Set(1)
	return info
}

// Watch sets the functions that are called at each scrape: whether the node is ready, and the
// state of the partitions that it leads. They must not block.
func (s *Set) Watch(ready func() bool, partitions func() []Standing) {
	s.ready.Store(&ready)
	s.partitions.Store(&partitions)
}

func (s *Set) isReady() float64 {
	if ready := s.ready.Load(); ready != nil && (*ready)() {
		return 1
	}
	return 0
}

const (
	// maxScrapes bounds concurrent scrapes, so that a flood of them costs little.
	maxScrapes    = 4
	scrapeTimeout = 10 * time.Second
)

// Handler serves the page.
func (s *Set) Handler() http.Handler {
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{
		MaxRequestsInFlight: maxScrapes, Timeout: scrapeTimeout, Registry: nil,
	})
}

// Buckets of durations, in seconds. The scheduler's own work takes milliseconds; its waits may
// take minutes.
var (
	lateness  = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}
	durations = []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200}
	answers   = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
)
