// Package storage names the places where schedulers keep an installation's data: the subjects and
// streams of journal, items and kept results, the buckets and the keys of their rows, and the
// partition where a plan is.
//
// The names follow from a [schema.Space]. None ever changes, because data is found by them. Names
// that a user's program subscribes to or reads are those of package schema.
//
// It may not know the stored values. Arguments are not checked, because callers check names from
// outside before.
package storage
