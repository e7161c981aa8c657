// Package metrics counts what a node does, for Prometheus.
//
// What comes in: words of the parts that do something (an execution was dispatched, a
// request was answered), and two functions that are asked when somebody looks. What goes
// out: one page in the Prometheus text format, from a registry of this package's own.
//
// The parts hold counters that were looked up once, when the part was made, so that an
// execution costs some atomic additions. No label has values that users make: there is none
// for a plan, a station, a worker, a tenant or a host. Of each value there would be a series
// in every process, kept until that ends, and an installation may have a million of them;
// the results on plan.result.> say all that, one by one. Labels are the partition (64 at
// most), and words that the program itself knows: states, reasons, verbs, routes, codes.
//
// docs/metrics.md says what each metric means; a test keeps the two equal.
package metrics
