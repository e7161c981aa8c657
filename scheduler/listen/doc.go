// Package listen receives the messages of workers to a partition: replies, presence, and the
// replies that were captured while there was no subscription. It separates replies to
// executions from junk, and acknowledges replies to workers.
//
// It knows the subjects on which workers publish, how their messages are decoded, which of
// them NATS may have captured while a connection was away, and when all that were sent up to a
// moment have been received (ADR 0017).
//
// It may not know the meaning of a reply, or whether it has an effect, because the machine
// decides that. It passes on all it receives as events.
package listen
