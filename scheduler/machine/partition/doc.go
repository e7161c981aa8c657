// Package partition holds the state of one partition: its plans by name, its stations, the
// queues of plans that wait, and its workers that are present.
//
// It answers lookups: which plan has a name, which terms a plan has, whether a station has
// room, which nonce belongs to a number. It may not decide about a plan, because rules are in
// package admission, and the effect of an event on a plan is in package transition.
package partition
