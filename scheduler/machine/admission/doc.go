// Package admission has the rules of when something of a plan begins: whether an occurrence
// that is due starts, waits or is skipped, why an open one does not start (HoldOf), and
// what a plan waits for (Wants).
//
// It reads a plan and its partition and changes neither, so that whoever asks gets the answer
// that the scheduler acts on. It may not know batches, events or what is written.
package admission
