package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A worker that answers too late is judged here: its execution has ended.

// late answers a word that changes nothing: taken, of no effect, stop.
func late(t *Turn, ev event.Heard) {
	t.Counts.Late++
	t.Batch.Acknowledge(ev.From, schema.Ack{Ack: true, Cancel: true})
}

// superseded takes the ok of an execution that was given up: its occurrence is
// unsettled, so the work is done all the same, and who is at it now may stop. That
// execution has a result, so this one has a number of its own.
func superseded(t *Turn, p *state.Plan, o *state.Occurrence, ev event.Heard) {
	p.N++
	t.Succeed(p, o, p.N, o.AttemptOf(ev.About.N), Outcome{
		late: ev.About.N, Content: ev.Reply.Content, error: ev.Reply.Error, worker: ev.Reply.WorkerID, Silent: unwanted(&ev.Reply),
	})
}
