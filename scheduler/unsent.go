package scheduler

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// clocksApart is how much the clocks of two nats-servers may differ where the timestamps of
// messages that they stored are compared. If they differ by more, an execution that a dying leader
// has just sent may be sent twice, under the same number and key.
const clocksApart = 500 * time.Millisecond

// unsent are the executions that the leader before has decided, and surely not sent.
func (l *leader) unsent(tail protocol.Tail[event.Unsent]) (events []event.Event) {
	before := l.held.Before()
	appends := tail.Unsent(before.Holder, protocol.Gone{
		Silent: before.Silent, Renewed: before.Renewed, Trust: l.held.Trust(), Apart: clocksApart,
	})
	for _, a := range appends {
		for _, x := range a.Begun {
			events = append(events, x)
		}
	}
	if len(events) > 0 {
		l.log.Info("sends executions that the leader before has decided and not sent", "executions", len(events), "from_append", appends[0].Seq)
	}
	return events
}
