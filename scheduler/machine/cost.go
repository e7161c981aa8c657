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
		return m.costOfAsk(ev.What)
	case event.Heard:
		return m.costOfHeard(ev.About, &ev.Reply)
	case event.Nobody:
		return m.part.Plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}].Cost()
	case event.Unsent:
		return m.part.Plans[ev.Name].Cost()
	case event.Sent:
		return m.part.Plans[ev.Name].Cost()
	case event.Left:
		return m.part.Plans[ev.Name].Cost()
	case event.Blame:
		return m.part.Plans[ev.Name].Cost()
	case event.Fetched:
		if ev.For != nil {
			return m.Cost(ev.For)
		}
		return m.part.Plans[ev.Name].Cost()
	}
	return state.SmallEvent
}

// costOfHeard bounds what a worker's word may add.
func (m *Machine) costOfHeard(about schema.ReplyName, reply *schema.Reply) int {
	p := m.part.Plans[schema.PlanName{Station: about.Station, PlanID: about.PlanID}]
	said := 6 * (len(reply.Content.Raw()) + len(reply.Error.Raw()))
	if p.IsVote(about.N) {
		return p.Cost() + state.SmallEvent + state.MaxRepeated + p.CostOfVote(said)
	}
	// A late ok also cancels the attempt that is under way; an error of a task is kept
	// with its state, too.
	return p.Cost() + state.SmallEvent + state.MaxRepeated + min(said, state.MaxSaid) + min(said, state.LastErrorFrame+schema.MaxErrorInfo)
}
