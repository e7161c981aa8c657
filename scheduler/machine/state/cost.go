package state

import (
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// SmallEvent covers a state row and the fixed part of a result.
	SmallEvent = 2048
	// MaxSaid is what content and error of a reply may have together, in the
	// encoding that they travel in, with their names.
	MaxSaid = schema.MaxReplyBytes + 64
)

// Cost bounds what one thing that happens to p may add: its state, and two
// results, what ended and what was skipped for it. Where more can happen at once,
// whoever lets it happen asks for room again before each.
func (p *Plan) Cost() int {
	if p == nil {
		return SmallEvent
	}
	return p.StateBound() + 2*SmallEvent + int(p.SharedSize) + MaxRepeated + costOfCallback(p) + costOfOthers(p) + costOfLastError(p)
}

// CostOfSkip bounds what skipping one open occurrence of p adds, and p's end with the last.
func (p *Plan) CostOfSkip() int {
	if p == nil {
		return SmallEvent
	}
	return p.StateBound() + SmallEvent + MaxRepeated
}

// CostOfStock bounds what a command may add that takes stock of p first, its definition
// aside: what waits its turn is opened, and results of three reasons to skip.
func (p *Plan) CostOfStock() int {
	cost := SmallEvent + 3*(SmallEvent+MaxRepeated)
	if p != nil {
		cost += p.StateBound() + max(0, MaxOpen-len(p.Open))*FreshBound
	}
	return cost
}

// CostOfEnd bounds what ending all that is open of p may add, in one append: a result
// for each, and two for what fell due meanwhile or comes in its place.
func (p *Plan) CostOfEnd() int {
	cost := 3*SmallEvent + 2*MaxRepeated
	if p != nil {
		cost += p.StateBound() + FreshBound
		for _, o := range p.Open {
			cost += max(1, len(o.Live)) * (SmallEvent + MaxRepeated)
		}
	}
	return cost
}

// CostOfEndTask bounds what that adds: the result that settles it repeats the task whole,
// so that history has it.
func (p *Plan) CostOfEndTask(c *schema.EndTask) int {
	cost := p.CostOfEnd() + 6*len(c.Remark)
	if p != nil {
		cost += int(p.SharedSize) + costOfLastError(p)
	}
	return cost
}

// costOfCallback bounds what a callback of p's station may add: the plan that delivers
// it, its state with an occurrence under way, and what an item needs beside the result.
// An item takes the room of a result that is not kept whole.
func costOfCallback(p *Plan) int {
	if p == nil || p.Station == nil || p.Station.Record == nil || p.Station.Record.Callback == nil {
		return 0
	}
	c := p.Station.Record.Callback
	text := len(c.Security.AK)
	for _, t := range []*schema.CallbackTarget{c.Success, c.Error} {
		if t != nil {
			text += len(t.URL)
		}
	}
	names := 2 * (len("callback.") + len(p.Name.Station) + len(p.Name.PlanID))
	cost := 2*SmallEvent + 6*text + 3*names + 2*len(p.Traceparent()) + InboxBound + FreshBound
	if p.Station.Kind() == schema.KindVote && p.Options().Log != schema.LogFull {
		cost += MaxBallot + schema.MaxVoters*(voteFrame+schema.MaxName) // the errors of votes are kept
	}
	return cost
}
