package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// What a leader has appended and not said, as its successor finds out (scheduler/unsent.go,
// scheduler/follow/tail.go). All stamps are of one clock here.

// predecessor is what the record of the lease says of who held it.
type predecessor struct {
	holder  string
	renewed time.Time // zero: it is not known
	silent  uint64    // 0: it does not say
}

// lastRecord is what the record says when l holds the lease no more. A process that goes on
// gives it back, if it can, and says up to where it has spoken.
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

// unsent are the executions of which the leader before l has surely said nothing.
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
