// Package forward brings a command from the node where it came in to the node that leads the
// command's partition, and the answer back, over NATS.
//
// It knows how commands and answers travel between nodes, on scheduler.lead.<partition>, and
// after which errors a command may be sent again. Their encoding is frozen, because nodes of
// two builds forward to each other while a cluster is restarted node by node.
//
// It may not know which node leads, or how one begins to: a Subscription has a leader set, and
// a Line only asks. It carries nothing out, and waits for no leader.
package forward
