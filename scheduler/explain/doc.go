// Package explain answers plans.explain: it joins what the leader of a plan knows about an occurrence
// with the results that are kept, names the field that decided and what to change, and writes the
// sentence, in English or Chinese.
//
// It decides nothing, because a verdict is the leader's (scheduler/machine/verdict) or a
// result's. No request leaves the package, and it reads no clock. The texts are in one table for
// each language, by verdict and cause.
package explain
