// Package transition applies an event to one plan: an execution ends, an occurrence opens,
// starts or gives way, a result is published and its callback delivered, a plan leaves.
//
// It changes the plan of its turn; a callback also reaches the plan that delivers it. At the
// end of the turn the queues are set to the wants of those plans ([Turn.Settle]). It may not
// know commands, lists, searches for claims, or how rows are replayed, because those belong to
// package machine, which steps it.
package transition
