// Package verb lists the verbs of a leader: the types of each one's command and answer, its
// name between nodes, and its properties.
//
// Each package that handles every verb has a table of them: the machine, which carries them
// out, and package forward, which brings them to the node that leads. A test of each such
// table names the verbs that it lacks.
//
// It may not know how a verb is carried out, nor where it comes from.
package verb
