// Package scheduler leads partitions: it wins a lease, takes over the journal,
// and runs the machine until it may no longer.
//
//	requests ─┐                                              ┌─▶ answers, acks
//	replies  ─┼─▶ decide ──batch──▶ commit ──durable──▶ perform ─▶ executions, events
//	time     ─┘   owns the          owns the                 ├─▶ results  ─▶ stream
//	              machine           pen                      └─▶ rows     ─▶ bucket
//
// Data flows one way through three goroutines. While an append is in flight the
// next batch gathers, so the journal commits in groups: one sync of the disk for a
// thousand changes, a fraction of a millisecond when there is only one. No effect
// leaves before the rows of its batch are durable.
//
// A refused append is never undone. The leader drops everything, its machine
// included, stands by, and takes over again if nobody else does. Safety rests on
// the expected sequence of the journal, never on the lease or on clocks: the lease
// only decides who tries.
//
// Who stands by has package follow keep a copy of the machine, with which it takes over. A
// command that came in at another node is brought here by package forward. What workers say
// is heard by package listen.
//
// What is behind the journal (results, items, the bucket) is written by package storing.
package scheduler
