// Package table has what stands beside the plans of a partition: handles by which queues
// know them, the rows that the bucket does not have yet, the large definitions that it has
// and memory need not hold, and which plans closed by themselves a short while ago.
//
// It knows where a plan is. It may not know what a plan means: why it runs, waits or ends.
package table
