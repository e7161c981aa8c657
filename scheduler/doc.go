// Package scheduler leads partitions: it wins a lease, takes over the journal, and runs the machine
// until it may no longer.
//
//	requests ─┐                                              ┌─▶ answers, acks
//	replies  ─┼─▶ decide ──batch──▶ commit ──durable──▶ perform ─▶ executions, events
//	time     ─┘   owns the          owns the                 ├─▶ results  ─▶ stream
//	              machine           appender                 └─▶ rows     ─▶ bucket
//
// Data flows one way through three goroutines. While an append is in flight the next batch gathers,
// so that the journal commits in groups: one fsync for a thousand changes, a fraction of a
// millisecond when there is only one. No effect leaves before the rows of its batch are durable.
//
// A refused append is never undone. The leader drops everything, its machine included, stands by,
// and takes over again if no other node does. Safety rests on the expected sequence of the journal,
// never on the lease or on clocks, because the lease only decides which node tries.
//
// A standby keeps a copy of the machine with package follow, and takes over with it. Package
// forward brings commands here that arrived at another node. Package listen receives the replies of
// workers.
//
// Package storing writes the results, the items and the bucket, all of them behind the journal.
package scheduler
