// Package waiting has the queues of a leader: plans that wait for a moment, for a turn at a
// station, or for a worker. It knows plans by their handles, and neither the content of a plan
// nor why it waits. It stores nothing, because a new leader rebuilds the queues from the plans.
package waiting
