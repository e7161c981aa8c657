// Package follow keeps a copy of what the leader of a partition decides: a machine that was
// read from the bucket, and from each append to the journal since. Whoever takes over goes
// on with it.
//
// It knows how to read the bucket and the journal, what may be passed over, and that what
// cannot be read is said and left alone. A row at which the machine panics is left out from
// then on.
//
// It may not know who leads, or who is to: it writes nothing, tells nobody, and has no part
// in a take-over but to hand over what it has.
package follow
