package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A leader's unsent executions, as its successor determines them (scheduler/unsent.go,
// scheduler/follow/tail.go). All stamps are of one clock here.

// predecessor is the last holder in the record of the lease.
type predecessor struct {
	holder  string
	renewed time.Time // zero: it is not known
	silent  uint64    // 0: the record does not contain it
}

// lastRecord is the record of the lease that l no longer holds. A process that goes on gives the
// lease back, if it can, with the last append that it has published.
func lastRecord(l *leader) predecessor {
	switch {
	case l.released:
		return predecessor{holder: l.holder, silent: l.begun + 1}
	case l.trusted.Equal(forEver):
		return predecessor{holder: l.holder, renewed: l.w.now}
	default:
		return predecessor{holder: l.holder, renewed: l.renewed}
	}
}

// giveUp ends a leadership whose append is not answered, or whose store is in trouble.
func (l *leader) giveUp() bool {
	if !l.leads || l.n.frozen || l.n.cut {
		return false
	}
	l.released = true
	l.end("it gives up")
	return true
}

// unsent are the executions that the leader before l has surely not sent.
func (l *leader) unsent(t *protocol.Tail[event.Unsent]) (events []event.Event) {
	gone := protocol.Gone{Silent: l.before.silent, Renewed: l.before.renewed, Trust: trust}
	if l.w.planted(UnsentUnproved) {
		gone.Silent = 1
	}
	for _, a := range t.Unsent(l.before.holder, gone) {
		for _, x := range a.Begun {
			events = append(events, x)
		}
	}
	return events
}
