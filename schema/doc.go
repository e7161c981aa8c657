// Package schema is the words that all of Stationmaster speaks: the types that
// travel, the names of subjects and buckets, and what makes a request right or
// wrong. It knows nobody: not NATS, not the clock, not who sends what to whom.
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
//   - A station is a named destination; its [Kind] says how an execution reaches
//     workers.
//   - A worker is a process that serves a station.
//   - A [Reply] is a worker's word about one execution.
//   - A [Result] is the record of an execution that ended, or of skipped ones.
//   - An event, here a [Notice], is a live note that nobody keeps.
//   - An inbox is items that wait at a plan for its next execution.
//   - A partition is an independent shard, with a journal and a leader of its own.
//
// A request comes in as a [wire.Value]; [ParsePlan] and [ParseStation] check it
// whole and answer with [Errors] that name the field and say what would be right.
// [Plan.Terms] resolves a policy from plan, station and configuration, and is the
// only place that does. [Space] is the only place that makes subjects and reads them.
package schema
