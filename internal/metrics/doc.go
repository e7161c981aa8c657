// Package metrics counts the work of a node, for Prometheus.
//
// Its input is the calls of the parts (an execution was dispatched, a request was answered),
// and two functions that are called at each scrape. Its output is one page in the Prometheus
// text format, from a registry of this package's own.
//
// The parts hold counters that were looked up once, when the part was made, so that an
// execution costs some atomic additions. No label has values that users make: there is none
// for a plan, a station, a worker, a tenant or a host, because each value would be a series in
// every process, kept until that ends, and an installation may have a million of them; the
// results on plan.result.> have all that, one by one. Labels are the partition (64 at most),
// and values from the program's own lists: states, reasons, verbs, routes, codes.
//
// docs/metrics.md explains each metric; a test keeps the two equal.
package metrics
