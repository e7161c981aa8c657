// Package bench measures Stationmaster beside the engine that it stands on.
//
// On one machine an hour's noise is a factor of two, so a figure alone says
// little: only the ratio of two figures of the same run means anything. Hence
// the yardsticks: [Bare], [BareLeast], [BareBurst], [BareSteady] and [BareRequests] are the
// patterns that the product is built from, written as directly as they can be on
// an embedded nats-server, with pre-made bytes in place of plans, no encoding, no
// state machine and no policy. What the product makes of the machine is then put
// beside what the bare pattern made of it, and [Report] prints the two.
//
// Whatever is measured comes with its own server, in a folder of its own, and
// leaves neither goroutine nor file behind. Of executions a second it counts those whose
// result was heard and is stored within the measured time, while no backlog grows; who is
// measured is not asked. It counts what it did, asks the streams
// what they hold, and fails rather than report a figure that the two do not agree
// on.
//
// The files bare*.go import nothing of the product. Their subjects and records have
// the product's shapes and lengths all the same, for those are part of the price.
// The files ours*.go use the product as its users do: a node as `serve` starts it,
// plans through package client, workers through package worker; only the memory of
// a plan is that of a scheduler's machine by itself. [Run] puts them together.
package bench
