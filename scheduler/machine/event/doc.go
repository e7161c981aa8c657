// Package event has what a machine is told and what it tells others to do: events, effects,
// rows of the journal, and executions as they leave.
//
// It knows how rows are written and read. It may not know plans, nor why anything happens:
// package machine takes in events and decides, and package scheduler performs effects, each
// once the rows of its batch are durable.
package event
