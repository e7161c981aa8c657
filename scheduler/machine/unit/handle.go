package unit

// A Handle stands for a plan in the queues, which need to know nothing else of it. A plan has
// it from when it enters the table until it leaves, and another one may have it then. Zero is
// none.
type Handle uint32
