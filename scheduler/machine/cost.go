package machine

import "github.com/stationmaster-io/stationmaster/schema"

// What an event may add to a batch is known before it is taken, so that the rows of one
// event are never split over two appends.

// Cost returns an upper bound of the bytes that a Step with ev adds to a batch.
func (m *Machine) Cost(ev Event) int {
	switch ev := ev.(type) {
	case Ask:
		switch c := ev.What.(type) {
		case schema.CreatePlan:
			d := c.Definition
			name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
			return len(d.Raw) + len(c.Trace) + m.plans[name].costOfStock()
		case schema.RestorePlan:
			return m.costOfRestore(c)
		case schema.UpdatePlan:
			d := c.Definition
			return len(d.Raw) + m.plans[schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}].costOfStock()
		case schema.PausePlan:
			return m.plans[c.Name].costOfStock()
		case schema.ResumePlan:
			return m.plans[c.Name].costOfStock()
		case schema.ResetPlan:
			return m.plans[c.Name].costOfStock()
		case schema.SkipPlan:
			return m.plans[c.Name].costOfStock()
		case schema.TriggerPlan:
			return m.plans[c.Name].costOfEnd()
		case schema.CancelRun:
			return m.plans[c.Name].costOfEnd()
		case schema.ClosePlan:
			return m.plans[c.Name].costOfEnd() + m.plans[c.Name].costOfSkip()
		case schema.RemovePlan:
			return m.plans[c.Name].costOfEnd()
		case schema.ReportTask:
			return m.Cost(Heard{About: c.About, Reply: c.Reply})
		case schema.EndTask:
			return m.plans[c.Name].costOfEndTask(&c)
		case schema.ClaimWork:
			return smallEvent + c.Limit*(1<<10) // of most; hand looks whether there is room
		case schema.ReturnWork:
			return m.costOfReturn(c)
		case schema.PushItem:
			return m.costOfPush(&c)
		case schema.ClaimItems:
			return m.inboxes[c.PlanID].costOfEnd()
		case schema.CompleteItems:
			return m.inboxes[c.PlanID].costOfEnd()
		case schema.ReleaseItems:
			return m.inboxes[c.PlanID].costOfEnd()
		case schema.DropItems:
			return m.inboxes[c.PlanID].costOfEnd()
		}
	case Heard:
		p := m.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
		said := 6 * (len(ev.Reply.Content.Raw()) + len(ev.Reply.Error.Raw()))
		if p.isVote(ev.About.N) {
			return p.cost() + smallEvent + maxRepeated + p.costOfVote(said)
		}
		// A late ok also cancels the attempt that is under way; an error of a task is kept
		// with its state, too.
		return p.cost() + smallEvent + maxRepeated + min(said, maxSaid) + min(said, lastErrorFrame+schema.MaxErrorInfo)
	case Nobody:
		return m.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}].cost()
	case Sent:
		return m.plans[ev.Name].cost()
	case Left:
		return m.plans[ev.Name].cost()
	case Blame:
		return m.plans[ev.Name].cost()
	case Fetched:
		if ev.For != nil {
			return m.Cost(ev.For)
		}
		return m.plans[ev.Name].cost()
	}
	return smallEvent
}

const (
	// smallEvent covers a state row and the fixed part of a result.
	smallEvent = 2048
	// maxSaid is what content and error of a reply may have together, in the
	// encoding that they travel in, with their names.
	maxSaid = schema.MaxReplyBytes + 64
)

// cost bounds what one thing that happens to p may add: its state, and two
// results, what ended and what was skipped for it. Where more can happen at once,
// whoever lets it happen asks for room again before each.
func (p *plan) cost() int {
	if p == nil {
		return smallEvent
	}
	return p.stateBound() + 2*smallEvent + int(p.sharedSize) + maxRepeated + p.costOfCallback() + p.costOfCrew() + p.costOfLastError()
}

// costOfSkip bounds what skipping one open occurrence of p adds, and p's end with the last.
func (p *plan) costOfSkip() int {
	if p == nil {
		return smallEvent
	}
	return p.stateBound() + smallEvent + maxRepeated
}

// costOfStock bounds what a command may add that takes stock of p first, its definition
// aside: what waits its turn is opened, and results of three reasons to skip.
func (p *plan) costOfStock() int {
	cost := smallEvent + 3*(smallEvent+maxRepeated)
	if p != nil {
		cost += p.stateBound() + max(0, maxOpen-len(p.open))*freshBound
	}
	return cost
}

// costOfEnd bounds what ending all that is open of p may add, in one append: a result
// for each, and two for what fell due meanwhile or comes in its place.
func (p *plan) costOfEnd() int {
	cost := 3*smallEvent + 2*maxRepeated
	if p != nil {
		cost += p.stateBound() + freshBound
		for _, o := range p.open {
			cost += max(1, len(o.live)) * (smallEvent + maxRepeated)
		}
	}
	return cost
}
