// Package admission has the rules for when a plan runs: whether a due occurrence starts, waits
// or is skipped, why an open one does not start (HoldOf), and which queues a plan belongs in
// (Wants).
//
// It reads a plan and its partition and changes neither, so that every caller gets the answer
// that the scheduler acts on. It may not know batches, events or rows.
package admission
