// Package verdict gives the outcome or the prospect of an occurrence of a plan, as its leader knows
// it: it is under way, waits, comes, or never will. Of an occurrence that is settled it gives the number and the
// due time alone, because the result has the rest; one that is decided and has no result yet has its
// verdict here.
//
// It reads the decisions of package admission and makes none. It may not know results, sentences
// and batches.
package verdict
