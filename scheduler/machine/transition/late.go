package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// afterItsEnd judges a reply that comes too late, because its execution has ended. Only an ok whose
// occurrence is open counts (superseded); false: the reply changed nothing, and is acknowledged.
func afterItsEnd(t *Turn, p *state.Plan, o *state.Occurrence, ev event.ReplyReceived) bool {
	if o == nil || ev.Reply.State != schema.StateOK {
		late(t, ev)
		return false
	}
	superseded(t, p, o, ev)
	return true
}

// late acknowledges a reply that changes nothing: received, without effect, stop.
func late(t *Turn, ev event.ReplyReceived) {
	t.Counts.Late++
	t.Batch.Acknowledge(ev.From, schema.Ack{Ack: true, Cancel: true})
}

// superseded accepts the ok of an execution that was given up. Because its occurrence is
// unsettled, the work counts as done, and the workers of later executions may stop. The
// execution already has a result, so this result has a number of its own.
func superseded(t *Turn, p *state.Plan, o *state.Occurrence, ev event.ReplyReceived) {
	p.N++
	t.Succeed(p, o, p.N, o.AttemptOf(ev.About.N), Outcome{
		late: ev.About.N, Content: ev.Reply.Content, error: ev.Reply.Error, worker: ev.Reply.WorkerID, Silent: unwanted(&ev.Reply),
	})
}
