package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// That nothing times out of which a leader can know better.

// told takes in that the server sends a word to a node. That by its clock it came before a
// deadline is known where that was not set back: one that was shows the same time twice.
func (c *checker) told(n *node, said word) {
	if l := n.leader; said.key != nil && l.hears() && !n.clock().Before(n.shown) {
		l.told[said.key] = n.clock()
	}
}

// timely checks that no execution times out of which the leader can know better: a
// word of it was captured when it took over, or arrived while it was not listening
// yet, or was sent to it before its time was up.
func (c *checker) timely(l *leader, e machine.Publish) {
	r := c.decode(e)
	if r.State != schema.StateTimeout && (r.State != schema.StateFailure || r.Reason != schema.ReasonUnknown) {
		return
	}
	id := execID{incarnationOf(r.Key), r.N}
	for _, said := range c.words[id] {
		begun := said.key.state == schema.StateRunning || said.key.state == schema.StateWaiting
		if (begun || c.votes[id]) && r.Reason != schema.ReasonStart {
			continue // it was not its last word, or not the last vote
		}
		missed := said.at.After(l.capturedTo) && said.at.Before(l.listensFrom)
		if l.knows[said.key] || missed {
			c.w.fail("%s: execution %d times out (%s), but a worker said %s at %v, before epoch %d led",
				e.Name, r.N, r.Reason, said.key.state, said.at, l.epoch)
		}
		if at, told := l.told[said.key]; told && c.until[id].allowed(at, r.Reason) && !c.panicked[said.heard.About] {
			c.w.fail("%s: execution %d times out (%s) at %v, but a worker's %s was sent to epoch %d at %v",
				e.Name, r.N, r.Reason, l.n.clock(), said.key.state, l.epoch, at)
		}
	}
}

// limits are the times of an execution.
type limits struct{ start, end time.Time }

// allowed reports that a word came in time, by what an execution times out for.
func (u limits) allowed(at time.Time, why schema.Reason) bool {
	switch why {
	case schema.ReasonPing: // which its worker moves
		return false
	case schema.ReasonExec:
		return at.Before(u.end)
	default:
		return at.Before(u.start)
	}
}
