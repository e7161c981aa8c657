// Package broker is what the scheduler stores in NATS, and the rules by which it
// may do so.
//
// An installation is one journal, one bucket and one lease for each partition,
// and streams for replies and results that all partitions share. [Provision] makes
// them, or checks the ones that are there, and hands out a [Store].
//
//	              Pen                       Chain
//	leader ───► journal ─── purged behind ◄── checkpoint ◄─── bucket, results
//	              │ Follow, Replay
//	              ▼
//	           standbys, and whoever takes over
//
// A [Journal] is the log: one message an append, written through a [Pen], which
// clears up by itself whether an append landed. A [Chain] writes a stream behind
// the journal in atomic batches, each of which says how far the journal has been
// taken. Both are fenced by the store, with expected sequences: a deposed leader
// cannot write, whatever it believes. A [Lease] only says who should try, so that
// candidates do not depose each other for sport; no safety rests on it.
//
// What is inside appends, rows and results is bytes here: the package owns the
// envelope of an append and the fence records, and knows nothing of plans. It
// knows no nats-server either; package embed runs one.
//
// Every call that waits takes a context, and returns its cause when it ends.
package broker
