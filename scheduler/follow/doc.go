// Package follow keeps a copy of the decisions of a partition's leader: a machine that was read
// from the bucket, and from each append to the journal since. A node that takes over goes on with
// it.
//
// It knows how to read the bucket and the journal, which rows may be passed over, and that
// unreadable rows are logged and left alone. A row at which the machine panics is left out from
// then on.
//
// It may not know the leader, or the next one, because it writes nothing, publishes nothing, and
// has no part in a take-over but to hand over its copy.
package follow
