// Package incident reports contained panics. Each gets a number, a line in the log with its
// stack, and a count. The client whose request panicked gets the number with the error
// "internal", so that an operator finds the line by it.
//
// It does not decide how the program goes on after a panic; its caller does.
package incident
