// Package machine decides what becomes of one partition's plans.
//
// It is pure: an [event.Event] and a moment go in, and what was decided is added to a
// [batch.Batch]: rows for the journal, and effects to perform once those rows are
// durable. It never waits, sends, logs, reads a clock or rolls dice; package
// scheduler does the first three for it, and whatever looks random here (a nonce,
// a jitter) is a keyed hash of what it belongs to. So one seed replays a whole
// history.
//
//	event      what becomes of it                                        where
//	Ask        a verb is carried out, or a plan shown                    verbs.go
//	Tick       deadlines end, occurrences open, executions start         tick.go, transition
//	Heard      a worker's word: still wanted? what does it mean?         transition
//	Nobody     an execution reached nobody, and is sent again            transition
//	Seen, Here a worker is there: what waited for it is sent             worker.go
//	Listened   what was up may end, since its words were heard           hearing.go
//	Flush      rows that are quiet go to the bucket                      behind.go
//	Fetched    a definition that had left memory, and what waited for it fetch.go
//
// The packages below are its rooms; each says in its comment what it knows. Imports point
// down this list: transition (what an event does to a plan), admission (whether something
// begins, and what it waits for), partition (what is known of plans and stations), batch,
// claiming, view, table, state (one plan and its row), event, waiting, presence, unit.
//
// The machine's state runs ahead of the journal; its words do not. Every effect
// of a batch, reads included, is performed after the batch's rows, and all rows
// before them, are durable. A machine whose append was refused is thrown away:
// nothing in it is ever undone, so it needs no way back.
//
// A plan has open occurrences, and an occurrence has executions. An execution
// ends, an occurrence is settled, a plan closes. A plan's status is computed from
// these, never stored.
//
// What is due is admitted, or waits: in the schedule, as a range, for something of
// its own plan to end; or open, in the line of its station, for that to have room; or,
// at a pull station, offered to whoever claims it.
//
// What is asked of a leader are the verbs of package command. Each has a row in the table
// of verbs.go, which says what it is about, what it needs, what it adds to a batch at most
// and how it is carried out.
//
// What is not here: acknowledgements, leases, doubt about an append, connections,
// subjects, and the order of writes behind the journal.
package machine
