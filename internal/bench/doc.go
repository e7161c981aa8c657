// Package bench measures Stationmaster beside the engine that it stands on.
//
// Only the ratio of two figures of the same run is meaningful, because on one machine
// an hour's noise is a factor of two. So there are yardsticks: [Bare], [BareLeast],
// [BareBurst], [BareSteady] and [BareRequests] are the patterns that the product is
// built from, written as directly as possible on an embedded nats-server, with
// pre-made bytes in place of plans, no encoding, no state machine and no policy.
// [Report] prints the product's figures beside those of the bare pattern.
//
// Each measurement has its own server, in a folder of its own, and leaves neither
// goroutines nor files behind. An execution counts when an observer has received its
// result, and the stream has it, within the measured time, while no backlog grows; the
// product's own counters are not used. A measurement compares its counts with the
// streams, and fails rather than report a figure on which the two do not agree.
//
// The files bare*.go import no package of the product. Their subjects and records have
// the product's forms and lengths all the same, because those are part of the cost.
// The files ours*.go use the product as its users do: a node as `serve` starts it,
// plans through package client, workers through package worker; only the memory of
// a plan is that of a scheduler's machine by itself. [Run] puts them together.
package bench
