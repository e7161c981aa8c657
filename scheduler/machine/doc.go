// Package machine decides the fate of one partition's plans.
//
// It is pure: an [event.Event] and a moment go in, and the decisions are added to a
// [batch.Batch]: rows for the journal, and effects to perform once those rows are durable. It
// never waits, sends, logs, reads a clock or draws random numbers; package scheduler does the
// first three for it, and a value that looks random here (a nonce, a jitter) is a keyed hash of
// its plan and number, so that one seed replays a whole history.
//
//	event      effect                                                    where
//	Ask        a verb is carried out, or a plan shown                    verbs.go
//	Tick       deadlines end, occurrences open, executions start         tick.go, transition
//	ReplyReceived a worker's reply settles, delays or is out of date        transition
//	NoResponders no responders: the execution is published again           transition
//	WorkerSeen, StationPresence a worker is present: its executions are published again   worker.go
//	RepliesRead executions past their deadline end: replies were read   replies_read.go
//	Flush      quiet rows go to the bucket                               behind.go
//	Fetched    an evicted definition is back, and its commands go on     fetch.go
//
// The packages below have a comment each that lists the types which they know. Imports point
// down this list: transition (the effect of an event on a plan), admission (whether an
// occurrence begins, and the event that it waits for), partition (the tables of plans and
// stations), batch, claiming, view, table, state (one plan and its row), event, waiting,
// presence, unit.
//
// The machine's state runs ahead of the journal; its effects do not. Every effect of a batch,
// reads included, is performed after the batch's rows, and all rows before them, are durable. A
// turn (one event on one plan, see transition) is undone when it does not fit the batch or panics.
// Once it is kept it is final, so that a machine whose append was refused is discarded.
//
// A plan has open occurrences, and an occurrence has executions. An execution ends, an
// occurrence is settled, a plan closes. A plan's status is computed from these, never stored.
//
// A due occurrence is admitted, or waits: in the schedule, as a range, for an occurrence of its
// own plan to end; or open, in the queue of its station, for capacity; or, at a pull station, as
// an offer, for a claim.
//
// The requests to a leader are the verbs of package verb. Each has a row in the table of
// verbs.go: the plan that it is about, the part of the definition that it needs, and the function
// that carries it out.
//
// Not here: acknowledgements, leases, doubt about an append, connections, subjects, and the
// order of writes behind the journal.
package machine
