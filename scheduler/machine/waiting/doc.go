// Package waiting has the queues of a leader: who waits for a moment, for a turn at a station,
// for a worker. It knows plans by their handles, and neither what a plan is nor why it waits.
// Nothing in it is written down: a successor fills it again from what the plans say.
package waiting
