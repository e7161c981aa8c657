// Package tally has the counters of a partition: plans by shape and wait, results by how
// they ended, and how late executions began. What comes in is a plan's present shape, when its queues
// are set, and a result, when its turn is kept or its row is replayed. A counter is moved, and never
// made by going through the plans, because there may be a million of them. It knows handles and names
// of stations, and neither a plan nor why something happened.
package tally
