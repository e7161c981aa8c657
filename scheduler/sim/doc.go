// Package sim runs the scheduler in a world of its own: one goroutine, one seed,
// virtual time. It exists to find histories in which the contract is broken; only its
// tests use it, and `task sim` is one of them.
//
//	users ──requests──▶ ┌──── node ────┐ ──appends──▶ journal ┐
//	                    │ decide       │ ──batches──▶ bucket  ├─▶ checker
//	workers ──replies─▶ │ commit       │ ──batches──▶ results │      ▲
//	        ◀executions │ perform      │ ──batches──▶ items   ┘      │
//	                    └──────────────┘ ── all that is published ───┘
//	        any of these is lost, late, doubled, refused, in doubt; any node
//	        dies, freezes, is cut off or has a wrong clock, between any two steps
//
// Real are the machine, its batches, rows, effects and costs, the calendar, and the
// types and encodings of schema. Restated, in a few hundred lines that follow
// scheduler and broker closely, is the protocol around the machine: take-over
// (record, fences, scan, replay, listen, captured replies), the pipeline with one
// append in flight, the resolution of doubt, the three chains behind the journal,
// checkpoint and purge, and the place of inbox items. Simulated are NATS, clocks, users
// and workers.
//
// The checker (its files are named check…) sees the world from outside and keeps models of its own:
// rows as they land in the journal, executions as they are published, replies of workers, answers,
// stored messages. Each model is a type, whose comment states the promise that it checks. The
// checker decodes rows itself, and does its own arithmetic for grids.
//
// Each seed has its own mix of faults. After the last step of the storm it is calm:
// no more faults happen, and every plan that can end has to.
package sim
