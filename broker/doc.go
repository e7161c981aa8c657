// Package broker stores the scheduler's state in NATS, and holds the rules by which it may
// be written.
//
// An installation is one journal, one bucket and one lease for each partition, and streams
// for replies and results that all partitions share. [Provision] makes them, or checks the
// existing ones, and returns a [Store].
//
//	              Pen                       Chain
//	leader ───► journal ─── purged behind ◄── checkpoint ◄─── bucket, results
//	              │ Follow, Replay
//	              ▼
//	           standbys, and the next leader
//
// A [Journal] is the log: one message an append, written through an [Appender], which finds out
// by itself whether an append landed. A [Chain] writes a stream behind the journal in
// atomic batches, each of which records how far the journal has been taken. Both are fenced
// by the store, with expected sequences, so that a deposed leader cannot write, even if it
// believes that it leads. A [Lease] only names the process that should try, so that
// candidates do not depose each other without need; no safety rests on it.
//
// The bodies of appends, rows and results are opaque bytes here: the package owns the
// envelope of an append and the fence records, and knows nothing of plans. It knows no
// nats-server either; package embed runs one.
//
// Every call that waits takes a context, and returns its cause when it ends.
package broker
