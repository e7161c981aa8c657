// Package tally has the counters of a partition: plans by shape and wait, results by how they
// ended, and how late executions began. Its input is a plan's present shape, when its queues are
// set, and a result, when its turn is kept or its row is replayed. A counter moves by these
// alone, and is never computed from all plans, because there may be a million of them. It knows
// handles and names of stations, and neither a plan nor why something happened.
package tally
