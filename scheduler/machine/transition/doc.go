// Package transition has what an event does to one plan: an execution ends, an occurrence
// opens, starts or gives way, a result is told and its callback delivered, a plan leaves.
//
// It changes the plan of its turn; a callback also reaches the plan that delivers it. When the
// turn ends, the queues are set to what those plans want ([Turn.Settle]). It may not know commands, lists, claims that search,
// or how rows are replayed: those are in package machine, which steps it.
package transition
