// Package simulate runs plans ahead of time: the real machine and the real calendar, in virtual
// time, with virtual workers.
//
// A source of plans and stations goes in, with assumptions about their workers: how long they take,
// how many executions they have at once, how often they fail, and when no scheduler acts. A
// [Report] comes out, and each result on its way, for a [Sink].
//
//	source ──▶ machine ──dispatch, claim──▶ workers ──reply──▶ machine
//	              │ results                    │ begin, end
//	              └────────────▶ tally ◀───────┘
//
// Virtual time moves to the next event: a reply, a due plan, an outage. The same input gives the
// same history, because a value that looks random is a keyed hash of its execution. Totals are
// counted as results come, so that memory grows with the plans and not with their executions.
//
// It may not know files, flags or connections; package scheduler/sim, in contrast, tests the
// scheduler in a world of faults.
package simulate
