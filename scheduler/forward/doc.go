// Package forward brings a command from the node where it came in to the node that leads
// the command's partition, and the answer back, over NATS.
//
// It knows how commands and answers travel between nodes, on scheduler.lead.<partition>,
// and who is to be asked again: nodes of two builds forward to each other while a cluster
// is restarted node by node, so that what they write is frozen.
//
// It may not know who leads, or how one begins to: that is told to a Post, and asked of a
// Line. It carries nothing out, and waits for no leader.
package forward
