package unit

// A Handle stands for a plan in the queues, which know nothing else of it. A plan has it from
// its entry into the table until it leaves; afterwards another plan may get it. Zero is none.
type Handle uint32
