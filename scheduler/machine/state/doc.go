// Package state has what a leader knows of one plan: its definition as bytes, its record,
// and what is open of it: occurrences, the slots of their workers, executions, ballots, the
// items of an inbox.
//
// It knows how these are written into the row that the journal keeps and read from it, which
// the function fields of each type says at once; how much such a row may take; and what follows from a plan alone, such as its
// status and its next occurrence. It may not know events, other plans, batches or queues:
// whatever changes a plan because something happened is in package machine.
//
// A moment is in microseconds since 1970, UTC; zero is none. Counts and numbers begin at 1.
package state
