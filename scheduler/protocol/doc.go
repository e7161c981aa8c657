// Package protocol decides what a leadership does about its lease, its appends, and what it
// writes behind them: what is told to it is what the store said, and what it says is what is
// to be done next. The scheduler and the simulation both do what it says, so that what the one
// does is what the other has tried.
//
// It knows who writes a journal (a holder and an epoch), in which order appends and effects
// follow each other, for how long a writer can have trusted its lease, how far each stream
// behind the journal has it, and where items are.
//
// It may not know what an append holds but how many results and items, nor what an item says,
// what time it is but by what it is told, how anything is sent or read, nor that there are
// goroutines: it is called by one at a time.
package protocol
