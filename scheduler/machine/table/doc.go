// Package table has the data beside the plans of a partition: handles by which queues know
// them, the rows that the bucket lacks, the large definitions that it has and memory need not
// hold, and the plans that closed by themselves a short while ago.
//
// It knows where a plan is. It may not know why a plan runs, waits or ends.
package table
