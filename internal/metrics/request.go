package metrics

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stationmaster-io/stationmaster/schema"
)

// requests count the answers of the services.
type requests struct {
	answered *prometheus.CounterVec
	took     *prometheus.HistogramVec
	late     *prometheus.CounterVec
}

func newRequests(r prometheus.Registerer) *requests {
	return &requests{
		answered: counters(r, "requests_total",
			"Requests of the services over NATS, by their answer: ok, or the code of the error.", "service", "verb", "outcome"),
		late: counters(r, "requests_late_total",
			"Requests that were not carried out, because they came after their deadline: at the door, or at the leader.", "at"),
		took: histograms(r, "request_duration_seconds",
			"From the arrival of a request of the services to its answer.", "service", "verb"),
	}
}

// An Endpoint counts the requests of one verb.
type Endpoint struct {
	answered *prometheus.CounterVec // but for the outcome
	ok       prometheus.Counter
	late     prometheus.Counter
	took     func() prometheus.Observer // made at the first use, so that a verb without requests has no fifteen series
}

// Endpoint returns the counters of a verb.
func (s *Set) Endpoint(service, verb string) *Endpoint {
	e := &Endpoint{
		answered: s.requests.answered.MustCurryWith(prometheus.Labels{"service": service, "verb": verb}),
		took:     sync.OnceValue(func() prometheus.Observer { return s.requests.took.WithLabelValues(service, verb) }),
	}
	e.late = s.requests.late.WithLabelValues("door")
	e.ok = e.answered.WithLabelValues("ok")
	return e
}

// OK notes a request that was carried out.
func (e *Endpoint) OK(took time.Duration) {
	e.ok.Inc()
	e.took().Observe(took.Seconds())
}

// Refused notes one that was answered with an error.
func (e *Endpoint) Refused(code schema.Code, took time.Duration) {
	e.answered.WithLabelValues(string(code)).Inc()
	e.took().Observe(took.Seconds())
}

// TooLate notes one that came after its client's deadline.
func (e *Endpoint) TooLate() { e.late.Inc() }

// Unanswerable notes one whose reply subject is not allowed.
func (e *Endpoint) Unanswerable() { e.answered.WithLabelValues("unanswerable").Inc() }

// API counts the requests of REST.
type API struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	streams  prometheus.Gauge
}

func newAPI(r prometheus.Registerer) *API {
	a := &API{
		requests: counters(r, "api_requests_total",
			"Requests of REST, by route (as OpenAPI names it) and status.", "method", "route", "code"),
		took: histograms(r, "api_request_duration_seconds",
			"From the arrival of a request of REST to the end of its answer, live streams left out.", "method"),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + "api_streams", Help: "Live streams that are being read."}),
	}
	r.MustRegister(a.streams)
	return a
}

// methods are those that have a series of their own.
var methods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true,
	http.MethodPatch: true, http.MethodDelete: true, http.MethodOptions: true,
}

// Answered notes a request. Route is one of the gateway's routes, empty: of none. A stream,
// which lasts as long as its client reads, counts in no duration.
func (a *API) Answered(method, route string, code int, stream bool, took time.Duration) {
	if !methods[method] {
		method = "other"
	}
	if route == "" {
		route = "none"
	}
	a.requests.WithLabelValues(method, route, strconv.Itoa(code)).Inc()
	if !stream {
		a.took.WithLabelValues(method).Observe(took.Seconds())
	}
}

// Streaming notes that a live stream has begun, and returns the function that notes its end.
func (a *API) Streaming() (over func()) {
	a.streams.Inc()
	return a.streams.Dec
}

// HTTPCalls count the calls that the built-in HTTP worker makes.
type HTTPCalls struct {
	calls         map[string]map[schema.HTTPClass]prometheus.Counter
	took          prometheus.Histogram
	made, waiting map[string]prometheus.Gauge
}

func newHTTPCalls(r prometheus.Registerer) *HTTPCalls {
	calls := counters(r, "http_calls_total", "HTTP calls that this node made, by their purpose and how they ended.", "kind", "class")
	h := &HTTPCalls{
		calls: map[string]map[schema.HTTPClass]prometheus.Counter{},
		took:  histogram(r, "http_call_duration_seconds", "From the sending of an HTTP call to its outcome; waiting for other calls is not in it.", durations),
	}
	made := gauges(r, "http_calls_under_way", "HTTP calls that this node makes at the moment, by their purpose.", "kind")
	waiting := gauges(r, "http_calls_waiting", "HTTP calls that wait for their turn at the moment, by their purpose.", "kind")
	h.made, h.waiting = map[string]prometheus.Gauge{}, map[string]prometheus.Gauge{}
	for _, kind := range []string{"plan", "queue", "callback"} {
		h.made[kind], h.waiting[kind] = made.WithLabelValues(kind), waiting.WithLabelValues(kind)
		h.calls[kind] = resolved(calls, kind, schema.HTTPOK, schema.HTTPStatus, schema.HTTPTimeout, schema.HTTPNetwork, schema.HTTPRefused)
	}
	return h
}

// Ended notes a call for a plan of station http, a queue or a callback; took is 0 when none
// was made.
func (h *HTTPCalls) Ended(kind string, class schema.HTTPClass, took time.Duration) {
	if c := h.calls[kind][class]; c != nil {
		c.Inc()
	}
	if took > 0 {
		h.took.Observe(took.Seconds())
	}
}

// Moved notes how many calls of a kind are made, and how many wait for their turn.
func (h *HTTPCalls) Moved(kind string, made, waiting int) {
	if g := h.made[kind]; g != nil {
		g.Set(float64(made))
		h.waiting[kind].Set(float64(waiting))
	}
}
