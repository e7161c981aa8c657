// Package queue translates merge queues (docs/conformance/seed-004.md) into plans with an
// inbox. It keeps nothing and waits for nothing: requests of the services queues.* become
// commands to a plan's leader.
//
//	key                    a plan id, made of its hash
//	method and service     a plan of station queue, which the HTTP worker serves
//	station                a plan of that station, whose workers are notified of the items
//	neither                a plan of station queue.hold, which has no workers
//	-key                   a plan of its own for each push
//
// It knows the types of schema, and no NATS.
package queue
