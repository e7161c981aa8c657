// Package queue translates the merge queues of seed 004 into plans with an
// inbox. It keeps nothing and waits for nothing: the requests of the services
// queues.* go in, commands to a plan's leader come out.
//
//	key                    a plan id, made of its hash
//	method and service     a plan of station queue, which the HTTP worker serves
//	station                a plan of that station, whose workers are told of the items
//	neither                a plan of station queue.hold, which nobody is asked to serve
//	-key                   a plan of its own for each push
//
// It knows the words of schema, and no NATS.
package queue
