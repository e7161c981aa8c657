// Package incident tells of panics that were contained: each gets a number, a line in
// the log with its stack, and a count. Whoever is told "internal" is told the number, and
// an operator finds the line by it.
//
// What goes on after a panic, and with what, is for whoever caught it, or had it contained.
package incident
