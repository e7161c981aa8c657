// Package front is the door: the services, from plans.* and stations.* to tasks.* and
// queues.*, through the micro framework of NATS.
//
// It runs on every node and keeps nothing. A request comes in as bytes; the front
// scans, decodes and checks it, finds the partition, asks that partition's leader,
// and answers in the encoding of the request when the leader's word is durable:
//
//	request ──▶ scan ──▶ decode, check ──▶ place ──▶ Leader.Ask
//	                │           │                        │
//	                └───────────┴── refused ──▶ answer ◀─┘ done
//
// The subscription of an endpoint only puts requests into its backlog, from which they are
// worked on one after the other. None of them may hold up the next: what a single question
// settles (create, close, remove) is answered from where the leader says done, and what
// takes several looks (list, update, runs, import) talks in a goroutine of its own. All of
// that is bounded, for requests that only read and for those that change something each by
// itself; beyond the bounds the answer is unavailable at once, which is cheaper for everyone
// than a queue that nobody reads to its end.
//
// Lists of several partitions are merged here, and so are the runs of a plan: those
// under way come from the leader, those that ended from the kept results.
//
// Each service is a type of its own (plans, queues, tasks and so on), which carries its verbs
// and what only they need; the table of services, in verbs.go, says which verb is which of its
// methods. What several services need is the front's: asking leaders, reading plans of all
// partitions and kept results, pages, ids. What a request is, how it is read, and how it is
// answered or refused is the request's.
//
// The package knows the words of schema, the calendar (for plans.preview) and the
// kept results. It may not know the machine or the scheduler: whoever leads is a
// [Leader].
package front
