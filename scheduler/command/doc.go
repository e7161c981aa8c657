// Package command lists the verbs of a leader: which command each is, what answers it, what
// it is called between nodes, and what holds for it wherever it goes.
//
// Whoever has something to do for each verb makes a table of these: the machine, which
// carries them out, and package forward, which brings them to the node that leads. A test
// in each such place says which verb it leaves out.
//
// It may not know how a verb is carried out, nor who sends it.
package command
