package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stationmaster-io/stationmaster/schema"
)

// flows are the counters of leaders. Histograms have no label for the partition, because
// twenty series each, 64 times over, would add little information.
type flows struct {
	executions, results, skipped, events *prometheus.CounterVec
	replies, ignored                     *prometheus.CounterVec
	takeovers, appends, appendBytes      *prometheus.CounterVec
	strained, differences                *prometheus.CounterVec
	lateness, took                       prometheus.Histogram
	appendTook, takeoverTook             prometheus.Histogram
}

const partitionLabel = "partition"

func newFlows(r prometheus.Registerer) *flows {
	counter := func(name, help string, more ...string) *prometheus.CounterVec {
		return counters(r, name, help, append([]string{partitionLabel}, more...)...)
	}
	return &flows{
		executions:  counter("executions_total", "Executions handed to workers: published, or given to a claim.", "by"),
		results:     counter("results_total", "Results, one for each execution that ended and for each row of skipped occurrences.", "state"),
		skipped:     counter("skipped_occurrences_total", "Occurrences that were skipped.", "reason"),
		events:      counter("events_total", "Live events about plans and executions, by kind.", "kind"),
		replies:     counter("replies_total", "Replies that the leader looked at."),
		ignored:     counter("replies_ignored_total", "Replies that changed nothing, or were not looked at.", "reason"),
		takeovers:   counter("takeovers_total", "How often this node began to lead."),
		strained:    counter("strained_refused_total", "Requests to which something would begin that were refused, since results are made faster than they can be stored."),
		differences: counter("queue_differences_total", "Plans that waited for another event than their state implies, and were put right: a mistake of the scheduler."),
		appends:     counter("journal_appends_total", "Appends to the journal that are durable."),
		appendBytes: counter("journal_append_bytes_total", "Bytes of their contents; large ones are stored packed."),
		lateness: histogram(r, "dispatch_lateness_seconds",
			"From the moment at which an occurrence was to be dispatched until it was published. Occurrences that waited for a limit, for another occurrence or for a claim are not in it.", lateness),
		took:         histogram(r, "execution_duration_seconds", "From the dispatch of an execution to its end.", durations),
		appendTook:   histogram(r, "journal_append_duration_seconds", "From the sending of an append to its confirmation.", answers),
		takeoverTook: histogram(r, "takeover_duration_seconds", "From the lease to the first decision, when this node began to lead.", durations),
	}
}

// prefix begins the name of every metric of a node.
const prefix = "stationmaster_"

func counters(r prometheus.Registerer, name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, labels)
	r.MustRegister(c)
	return c
}

func gauges(r prometheus.Registerer, name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: prefix + name, Help: help}, labels)
	r.MustRegister(g)
	return g
}

func histograms(r prometheus.Registerer, name, help string, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: answers}, labels)
	r.MustRegister(h)
	return h
}

func histogram(r prometheus.Registerer, name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: buckets})
	r.MustRegister(h)
	return h
}

// A Partition counts the work of one partition's leaders in this process.
type Partition struct {
	published, claimed      prometheus.Counter
	results                 map[schema.State]prometheus.Counter
	skipped                 map[schema.Reason]prometheus.Counter
	events                  map[schema.NoticeKind]prometheus.Counter
	replies                 prometheus.Counter
	flood, strangers, late  prometheus.Counter
	confirmations           prometheus.Counter
	takeovers, tooLate      prometheus.Counter
	overQuota, strained     prometheus.Counter
	differences             prometheus.Counter
	appends, appendBytes    prometheus.Counter
	lateness, took          prometheus.Histogram
	appendTook, handedAfter prometheus.Histogram
}

// Partition returns the counters of a partition, each of which is there from now on, with 0.
func (s *Set) Partition(index int) *Partition {
	f, p := s.flows, strconv.Itoa(index)
	return &Partition{
		published: f.executions.WithLabelValues(p, "publish"), claimed: f.executions.WithLabelValues(p, "claim"),
		results: resolved(f.results, p, schema.StateOK, schema.StateError, schema.StateFailure, schema.StateTimeout,
			schema.StateSkipped, schema.StateCancelled),
		skipped: resolved(f.skipped, p, schema.ReasonPast, schema.ReasonAbandoned, schema.ReasonOverlap, schema.ReasonConcurrency,
			schema.ReasonFailure, schema.ReasonManual, schema.ReasonPaused, schema.ReasonMissed, schema.ReasonSkipped),
		events:  resolved(f.events, p, schema.NoticeKinds...),
		replies: f.replies.WithLabelValues(p),
		flood:   f.ignored.WithLabelValues(p, "flood"), strangers: f.ignored.WithLabelValues(p, "stranger"), late: f.ignored.WithLabelValues(p, "late"),
		confirmations: f.ignored.WithLabelValues(p, "confirmation"),
		takeovers:     f.takeovers.WithLabelValues(p), tooLate: s.requests.late.WithLabelValues("leader"),
		overQuota: s.quota.plans, strained: f.strained.WithLabelValues(p),
		differences: f.differences.WithLabelValues(p),
		appends:     f.appends.WithLabelValues(p), appendBytes: f.appendBytes.WithLabelValues(p),
		lateness: f.lateness, took: f.took, appendTook: f.appendTook, handedAfter: f.takeoverTook,
	}
}

// resolved looks up the counters of all values that a label may have.
func resolved[T ~string](v *prometheus.CounterVec, partition string, words ...T) map[T]prometheus.Counter {
	out := make(map[T]prometheus.Counter, len(words)+1)
	for _, w := range words {
		out[w] = v.WithLabelValues(partition, string(w))
	}
	return out
}

// Published notes an execution that was published, so much later than it was to be; below
// 0: it waited for more than its time.
func (p *Partition) Published(late time.Duration) {
	p.published.Inc()
	if late >= 0 {
		p.lateness.Observe(late.Seconds())
	}
}

// Claimed notes executions that were given to a claim.
func (p *Partition) Claimed(n int) { p.claimed.Add(float64(n)) }

// Result notes a result: of an execution that took so long (0: there was none), or of so
// many occurrences that were skipped.
func (p *Partition) Result(state schema.State, reason schema.Reason, skipped int64, took time.Duration) {
	if c := p.results[state]; c != nil {
		c.Inc()
	}
	if took > 0 {
		p.took.Observe(took.Seconds())
	}
	if state != schema.StateSkipped {
		return
	}
	if c := p.skipped[reason]; c != nil {
		c.Add(float64(max(skipped, 1)))
	}
}

// Event notes a live event, with or without subscribers.
func (p *Partition) Event(kind schema.NoticeKind) {
	if c := p.events[kind]; c != nil {
		c.Inc()
	}
}

// Reply notes a reply that the leader looks at.
func (p *Partition) Reply() { p.replies.Inc() }

// Flooded notes a message on the reply subjects that was dropped unread, in a flood of
// messages to no execution.
func (p *Partition) Flooded() { p.flood.Inc() }

// Ignored notes replies that changed nothing: those of strangers, those that came late,
// and confirmations of streams.
func (p *Partition) Ignored(strangers, late, confirmations uint64) {
	if strangers > 0 {
		p.strangers.Add(float64(strangers))
	}
	if late > 0 {
		p.late.Add(float64(late))
	}
	if confirmations > 0 {
		p.confirmations.Add(float64(confirmations))
	}
}

// TooLate notes a request that came to the leader after its client's deadline.
func (p *Partition) TooLate() { p.tooLate.Inc() }

// Appended notes a durable append.
func (p *Partition) Appended(bytes int, took time.Duration) {
	p.appends.Inc()
	p.appendBytes.Add(float64(bytes))
	p.appendTook.Observe(took.Seconds())
}

// TookOver notes that this node leads, so long after it had the lease.
func (p *Partition) TookOver(took time.Duration) {
	p.takeovers.Inc()
	p.handedAfter.Observe(took.Seconds())
}

// Differed notes so many plans that waited for something else than their state implies.
func (p *Partition) Differed(n uint64) {
	if n > 0 {
		p.differences.Add(float64(n))
	}
}

// Strained notes a request that was refused because results are made faster than they can be
// stored.
func (p *Partition) Strained() { p.strained.Inc() }
