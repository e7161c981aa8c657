// Package unit has the values that all parts of the machine share: a moment, a list, and the
// handle that stands for a plan. It depends on no other package of the machine.
package unit
