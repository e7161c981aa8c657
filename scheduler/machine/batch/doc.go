// Package batch collects the decisions of some steps of a machine, which are rows for one append
// to the journal, and effects to perform once that is durable.
//
// It knows the layout of an append and its size. It may not know why a row is written.
package batch
