// Package front is the request front end: the services, from plans.* and stations.* to tasks.*
// and queues.*, through the micro framework of NATS.
//
// It runs on every node and keeps no state. A request comes in as bytes; the front scans,
// decodes and checks it, finds the partition, asks that partition's leader, and answers in the
// encoding of the request when the leader's decision is durable:
//
//	request ──▶ scan ──▶ decode, check ──▶ place ──▶ Leader.Ask
//	                │           │                        │
//	                └───────────┴── refused ──▶ answer ◀─┘ done
//
// The subscription of an endpoint only puts requests into its backlog, which is processed in
// order. No request may hold up the next: a verb that one command settles (create, close,
// remove) is answered from the leader's callback, and a verb that takes several (list, update,
// runs, import) runs in a goroutine of its own. All of that is bounded, for requests that read
// and for requests that write separately; beyond the bounds the answer is unavailable at once,
// because that costs clients less than a queue whose end they do not wait for.
//
// Lists of several partitions are merged here, and so are the runs of a plan, because those
// under way come from the leader and those that ended from the kept results.
//
// Each service is a type of its own (plans, queues, tasks and so on), which has its verbs and
// their helpers as methods; the table of services, in verbs.go, maps each verb to its method.
// The front has the parts that several services share: asking leaders, reading plans of all
// partitions and kept results, pages, ids. The request has its own reading, answering and
// refusal.
//
// The package knows the types of schema, the calendar, the forecasts (for plans.preview and
// plans.upcoming), explanations and the kept results. It may not know the machine or the scheduler: it reaches
// them through a [Leader].
package front
