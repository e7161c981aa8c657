// Package event has the input and output of a machine: events, effects, rows of the journal,
// and executions as they are sent.
//
// It knows how rows are written and read. It may not know plans, nor the cause of an event:
// package machine handles events and decides, and package scheduler performs effects, each once
// the rows of its batch are durable.
package event
