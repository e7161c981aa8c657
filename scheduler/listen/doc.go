// Package listen hears what workers say to a partition: replies, who is there, and what was
// said while nobody heard it. It tells replies that were asked for from junk, and workers that
// their words were taken.
//
// It knows on which subjects workers speak, how their words are decoded, what NATS may have
// kept of them while a connection was away, and when all is heard that was said by a moment
// (ADR 0017).
//
// It may not know what a word means, or whether anybody acts on it: that is the machine's.
// What it hears it hands over as events.
package listen
