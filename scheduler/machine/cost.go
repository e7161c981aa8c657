package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What an event may add to a batch is known before it is taken, so that the rows of one
// event are never split over two appends.

// Cost returns an upper bound of the bytes that a Step with ev adds to a batch.
func (m *Machine) Cost(ev event.Event) int {
	switch ev := ev.(type) {
	case event.Ask:
		switch c := ev.What.(type) {
		case schema.CreatePlan:
			d := c.Definition
			name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
			return len(d.Raw) + len(c.Trace) + m.Plans[name].CostOfStock()
		case schema.RestorePlan:
			return m.costOfRestore(c)
		case schema.UpdatePlan:
			d := c.Definition
			return len(d.Raw) + m.Plans[schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}].CostOfStock()
		case schema.PausePlan:
			return m.Plans[c.Name].CostOfStock()
		case schema.ResumePlan:
			return m.Plans[c.Name].CostOfStock()
		case schema.ResetPlan:
			return m.Plans[c.Name].CostOfStock()
		case schema.SkipPlan:
			return m.Plans[c.Name].CostOfStock()
		case schema.TriggerPlan:
			return m.Plans[c.Name].CostOfEnd()
		case schema.CancelRun:
			return m.Plans[c.Name].CostOfEnd()
		case schema.ClosePlan:
			return m.Plans[c.Name].CostOfEnd() + m.Plans[c.Name].CostOfSkip()
		case schema.RemovePlan:
			return m.Plans[c.Name].CostOfEnd()
		case schema.ReportTask:
			return m.Cost(event.Heard{About: c.About, Reply: c.Reply})
		case schema.EndTask:
			return m.Plans[c.Name].CostOfEndTask(&c)
		case schema.ClaimWork:
			return state.SmallEvent + c.Limit*(1<<10) // of most; hand looks whether there is room
		case schema.ReturnWork:
			return m.costOfReturn(c)
		case schema.PushItem:
			return m.costOfPush(&c)
		case schema.ClaimItems:
			return m.InboxPlans[c.PlanID].CostOfEnd()
		case schema.CompleteItems:
			return m.InboxPlans[c.PlanID].CostOfEnd()
		case schema.ReleaseItems:
			return m.InboxPlans[c.PlanID].CostOfEnd()
		case schema.DropItems:
			return m.InboxPlans[c.PlanID].CostOfEnd()
		}
	case event.Heard:
		p := m.Plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
		said := 6 * (len(ev.Reply.Content.Raw()) + len(ev.Reply.Error.Raw()))
		if p.IsVote(ev.About.N) {
			return p.Cost() + state.SmallEvent + state.MaxRepeated + p.CostOfVote(said)
		}
		// A late ok also cancels the attempt that is under way; an error of a task is kept
		// with its state, too.
		return p.Cost() + state.SmallEvent + state.MaxRepeated + min(said, state.MaxSaid) + min(said, state.LastErrorFrame+schema.MaxErrorInfo)
	case event.Nobody:
		return m.Plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}].Cost()
	case event.Sent:
		return m.Plans[ev.Name].Cost()
	case event.Left:
		return m.Plans[ev.Name].Cost()
	case event.Blame:
		return m.Plans[ev.Name].Cost()
	case event.Fetched:
		if ev.For != nil {
			return m.Cost(ev.For)
		}
		return m.Plans[ev.Name].Cost()
	}
	return state.SmallEvent
}
