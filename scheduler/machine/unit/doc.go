// Package unit has the values that all parts of the machine share: a moment, and the handle
// that stands for a plan. It knows nothing else.
package unit
