package scheduler

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/follow"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// clocksApart is how much the clocks of two nats-servers may differ where what was stored by
// one is compared with what was by another. Where they differ by more, an execution may be sent
// twice that a dying leader has just sent, under the same number and key.
const clocksApart = 500 * time.Millisecond

// unsent are the executions that the leader before has decided, and surely not sent.
func (l *leader) unsent(tail follow.Tail) []event.Event {
	before := l.held.Before()
	if tail.Holder == "" || tail.Holder != before.Holder {
		return nil // another had the lease in between, or it is not known who wrote last
	}
	stored := make([]protocol.Stored, len(tail.Appends))
	for i, a := range tail.Appends {
		stored[i] = protocol.Stored{Seq: a.Seq, At: a.At}
	}
	gone := protocol.Gone{Silent: before.Silent, Renewed: before.Renewed, Trust: l.held.Trust(), Apart: clocksApart}
	from := gone.Unsaid(tail.Before, stored)
	if from == 0 {
		return nil
	}
	var events []event.Event
	for _, a := range tail.Appends {
		if a.Seq >= from {
			for _, x := range a.Begun {
				events = append(events, x)
			}
		}
	}
	if len(events) > 0 {
		l.log.Info("sends what the leader before has decided and not sent", "executions", len(events), "from_append", from)
	}
	return events
}
