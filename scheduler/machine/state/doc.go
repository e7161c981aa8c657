// Package state has a leader's knowledge of one plan: its definition as bytes, its record, and
// its open parts: occurrences, the slots of their workers, executions, ballots, the items of an
// inbox.
//
// It knows how these are written into the row that the journal keeps and read from it, since the
// function fields of each type does both; how much such a row may take; and the values that
// follow from a plan alone, such as its status and its next occurrence. It may not know events,
// other plans, batches or queues, because a change that an event causes is decided in package
// machine.
//
// A moment is in microseconds since 1970, UTC; zero is none. Counts and numbers begin at 1.
package state
