// Package storing writes the streams behind the journal of a partition: results to their stream,
// items of queues to theirs, rows to the bucket, each by a goroutine of its own, in fenced batches;
// see package broker. It moves the checkpoint, and purges the journal behind it.
//
// It knows which appends were written, how far each stream has them, that no checkpoint passes a
// result or an item that is not stored, and that a result is broadcast when its append is durable,
// before it is in the stream of results. It
// reads back data that is not in memory: items, and large definitions.
//
// It may not know the leader, its lease, or how the leadership began, because an epoch and a holder
// are only words in a fence. Of the machine it knows the rows and effects that are stored, and the
// events about them.
package storing
