// Package storing writes what is behind the journal of a partition: results to their
// stream, items of queues to theirs, rows to the bucket, each by a goroutine of its own, in
// fenced batches; see package broker. It moves the checkpoint, and purges the journal behind
// it.
//
// It knows which appends were written, how far each stream has them, that no checkpoint
// passes a result or an item that is not stored, and that a result is told before it is
// stored. It reads back what is not in memory: items, and large definitions.
//
// It may not know who leads, under which lease, or how it came to: an epoch and a holder are
// words in a fence. Of the machine it knows the rows and effects that are stored, and what
// events say of them.
package storing
