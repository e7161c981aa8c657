// Package schema is the vocabulary of Stationmaster: the types that users, clients and
// workers write and read, the names of subjects and buckets that they know, and the
// checks of requests. It depends on neither NATS nor the clock, nor on the senders and
// receivers of messages.
//
// The glossary. No other word is used for the same thing.
//
//   - A plan is the user's request, named station/plan_id. Its definition is the
//     user's and is never rewritten; the scheduler's state lies beside it. A plan
//     has a [Status], and it closes.
//   - An occurrence k is the k-th due time on a plan's schedule, from 1. It is
//     open from then until it is settled: done, failed for good, or skipped.
//   - An execution n is one dispatch of an occurrence; a retry is a new one of the
//     same occurrence, with the next attempt. It has a [State], and it ends. n
//     numbers everything that is recorded of a plan and only grows.
//   - A station is a named destination; its [Kind] selects how an execution
//     reaches workers.
//   - A worker is a process that serves a station.
//   - A [Reply] is a worker's report about one execution.
//   - A [Result] is the record of an execution that ended, or of skipped ones.
//   - An event, here a [Notice], is a live note that is not stored.
//   - An inbox is items that wait at a plan for its next execution.
//   - A partition is an independent shard, with a journal and a leader of its own.
//
// A request comes in as a [wire.Value]; [ParsePlan] and [ParseStation] check it
// whole and answer with [Errors] that name the field and a valid value.
// [Plan.Terms] resolves a policy from plan, station and configuration, and is the
// only place that does. [Space] makes these subjects and reads them.
package schema
