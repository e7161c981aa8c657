// Package httpworker is the built-in HTTP worker: for each execution of station http
// it makes one call, as the plan's [schema.HTTPCall] says, and reports what came of
// it, a [schema.HTTPOutcome].
//
// In come executions, through package worker. Out go HTTP requests, each with the
// occurrence's idempotency key. The package knows nothing of schedules, retries or
// overlap: those are the plan's, and the scheduler's.
//
// # What may be called
//
// Whoever may create plans chooses the targets, so a call must not be a way into the
// network that this process stands in. Addresses are checked when they are dialled,
// behind every resolution and redirect, and those that are not of the public internet
// are refused unless [Options] allow them.
//
// # What it may cost
//
// Targets are strangers: they hang, stream for ever, reset, lie about lengths. A call
// ends with its timeout, whatever they do; of an answer 64 KiB of head and body are
// read; calls are bounded, in all, to each host and to each address, and shared between
// those that want them made (gate). A cancellation closes the connection at once.
//
// # Queues and callbacks
//
// Station queue delivers the items of merge queues, and the stations below callback tell
// what became of other stations' occurrences, signed when those say so. What brings
// something follows no redirects: any 2xx is an arrival, all else is tried again by the
// scheduler, with the same key and nonce.
//
// # Callbacks of asynchronous calls
//
// An ASYNC call that was answered well is handed over: the scheduler is told to wait
// and this worker forgets it, so that a restart loses nothing. The target was given a
// token (package token) that holds the execution's reply subject; whoever is shown
// the token, the gateway, answers there. When nobody does, the scheduler's own
// deadline ends the execution.
package httpworker
