// Package protocol decides the acts of a leadership on its lease, its appends, and the streams
// behind them: its input is the answers of the store, its output the next orders. The scheduler and
// the simulation both follow it, so that the simulation tests the scheduler's decisions.
//
// It knows the writer of a journal (a holder and an epoch), the order in which appends and effects
// follow each other, for how long a writer can have trusted its lease, how far each stream behind
// the journal has it, and where items are.
//
// It may not know the content of an append except the number of its results and items, nor the
// content of an item, nor the time except from its input, nor how a message is sent or read, nor
// that there are goroutines, because only one calls it at a time.
package protocol
