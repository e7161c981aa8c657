// Package httpworker is the built-in HTTP worker: for each execution of station http
// it makes the call of the plan's [schema.HTTPCall], and reports a [schema.HTTPOutcome].
//
// In come executions, through package worker. Out go HTTP requests, each with the
// occurrence's idempotency key. Schedules, retries and overlap are the plan's, and the
// scheduler's; the package does not know them.
//
// # Allowed targets
//
// Users choose the targets with their plans, so that a call must not be a way into the network
// of this process. Addresses are checked when they are dialled, after every resolution and
// redirect, and those outside the public internet are refused unless [Options] allow them.
//
// # Bounds
//
// Targets are not trusted: they hang, stream for ever, reset, and send wrong lengths. A call
// ends with its timeout in all cases; 64 KiB of the response's head and body are read; calls
// are bounded, in all, to each host and to each address, and shared between tenants and
// callers (gate). A cancellation closes the connection at once.
//
// # Queues and callbacks
//
// Station queue delivers the items of merge queues, and the stations below callback deliver
// the results of other stations' occurrences, signed where those ask for it. A delivery
// follows no redirect: any 2xx is an arrival, all else is tried again by the scheduler, with
// the same key and nonce.
//
// # Callbacks of asynchronous calls
//
// An ASYNC call with a good response is completed later: the scheduler waits, and this worker
// forgets the call, so that a restart loses nothing. The target has a token (package token)
// that holds the execution's reply subject, and the gateway replies there for the bearer of the
// token. Without that the scheduler's own deadline ends the execution.
package httpworker
