// Package partition has what is known of one partition: its plans by name, its stations, what
// waits for what, and who of its workers is there.
//
// It answers what is where: which plan has a name, which terms a plan has, whether a station
// has room, whose nonce a number has. It may not know what is to become of a plan: rules are in
// package admission, and what an event does to a plan in package transition.
package partition
