// Package batch collects what some steps of a machine decided: rows for one append to the
// journal, and effects to perform once that is durable.
//
// It knows how rows are put into an append, and how large that gets. It may not know why a
// row is written.
package batch
