// Package view selects and renders plans for users: the filter of lists and claims, the view of
// a plan, and the response to a command on it.
//
// It reads plans and changes none. It may not know the machine, its queues or its batches.
package view
