// Package command has the commands of a leader: the requests to one partition, as the front gives
// them to its leader, and their answers, where users get none of that form.
//
// A user's request comes in and is checked elsewhere; the names and bounds that a user knows are
// those of package schema. The list of commands, with the properties of each, is package verb.
//
// It may not know how a command is carried out, nor how it travels to another node. Clients and
// workers do not import it, because its types are no promise to users.
package command
