package sim

import (
	"cmp"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Timeouts: a reply in time counts, and no execution ends before it has had its time.

// deadlineModel holds the deadlines of executions, as far as each leader knows them, and which leader has
// still to send which. Its promise: none times out before it has left, nor before the deadlines
// given to its worker.
type deadlineModel struct {
	w       *world
	until   map[execID]limits  // when it was to have begun, and ended, unless its worker asked for longer
	leaving map[execID]*leader // the leader that has decided to send it, and not yet done so
}

func newDeadlineModel(w *world) *deadlineModel {
	return &deadlineModel{w: w, until: map[execID]limits{}, leaving: map[execID]*leader{}}
}

// hasLeft checks that no execution times out that this leader is still to send.
func (b *deadlineModel) hasLeft(l *leader, e event.Publish) {
	r := b.w.decode(e)
	why, timesOut := missed(&r)
	if !timesOut {
		return
	}
	id := execID{incarnationOf(r.Key), r.N}
	if b.leaving[id] == l {
		b.w.fail("%s: execution %d ends %s (%s) before it has left", e.Name, r.N, r.State, r.Reason)
	}
	if u := b.until[id]; u.knownTo == l && u.allowed(l.n.clock(), why) {
		b.w.fail("%s: execution %d ends %s (%s) at %v, before the times that its worker was sent: %v, %v",
			e.Name, r.N, r.State, r.Reason, l.n.clock(), u.start, u.end)
	}
}

// missed is the deadline that an execution has missed by its result; false: it ended otherwise. If
// it is not tried again, that deadline is the cause of the failure.
func missed(r *schema.Result) (why schema.Reason, timesOut bool) {
	why = cmp.Or(r.Cause, r.Reason)
	return why, why == schema.ReasonStart || why == schema.ReasonExec || why == schema.ReasonPing
}

// leaves notes that an execution leaves, or does not.
func (b *deadlineModel) leaves(x *event.Outgoing) { delete(b.leaving, execID{x.Incarnation, x.N}) }

// decided notes that l is to send an execution, and the times that l gives it. Others know of
// them when that is durable, because a leader that was deposed may decide an execution of the
// same number.
func (b *deadlineModel) decided(l *leader, x *event.Outgoing) {
	id := execID{x.Incarnation, x.N}
	b.leaving[id] = l
	was := b.until[id]
	if was.knownTo == l {
		was = *was.before
	}
	b.until[id] = limits{start: x.StartBy, end: x.Deadline, knownTo: l, before: &was}
}

// durable notes that the times of an execution are durable. A leader that was deposed does not
// know the appends of its successor, and times the execution out by its own times, in an append
// that does not land.
func (b *deadlineModel) durable(x *event.Outgoing) {
	id := execID{x.Incarnation, x.N}
	was := b.until[id]
	for was.before != nil && (was.knownTo != nil || was.since == x.Epoch) {
		was = *was.before
	}
	b.until[id] = limits{start: x.StartBy, end: x.Deadline, since: x.Epoch, before: &was}
}

// extended notes that the machine of l knows of later deadlines given to a worker. The next leader may
// not know them.
func (b *deadlineModel) extended(l *leader, ev event.Left) {
	id := execID{ev.Incarnation, ev.N}
	if was, known := b.until[id]; known && ev != notSent(ev) && b.leaving[id] == nil {
		b.until[id] = limits{start: ev.StartBy, end: ev.Deadline, knownTo: l, before: &was} // was may be another leader's
	}
}

// notSent is ev without times, because the execution did not leave.
func notSent(ev event.Left) event.Left {
	ev.StartBy, ev.Deadline = time.Time{}, time.Time{}
	return ev
}

// limits are the times of an execution.
type limits struct {
	start, end time.Time
	knownTo    *leader // the only leader that knows them; nil: all do
	since      int64   // the epoch that made them durable, of which earlier leaders know nothing
	before     *limits // the limits known to the others
}

// of are the limits that a leader knows of.
func (u limits) of(l *leader) limits {
	if u.before != nil && (u.knownTo != nil && u.knownTo != l || u.since > l.epoch) {
		return u.before.of(l)
	}
	return u
}

// allowed reports that a reply came in time, by the reason of a timeout.
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

// sentTo records that the server sends a reply to a node. Its arrival before a deadline is certain
// only where the clock was not set back, because such a clock shows the same time twice.
func (n *node) sentTo(reply sentReply) {
	if l := n.leader; reply.key != nil && receives(l) && !n.clock().Before(n.shown) {
		l.sentAt[reply.key] = n.clock()
	}
}

// timely checks that no execution times out against its leader's knowledge: a reply that was
// captured when the leader took over, or arrived before it listened, or was sent to it before the
// deadline.
func (c *checker) timely(l *leader, e event.Publish) {
	r := c.w.decode(e)
	why, timesOut := missed(&r)
	if !timesOut {
		return
	}
	id := execID{incarnationOf(r.Key), r.N}
	for _, reply := range c.words.got[id] {
		begun := reply.key.state == schema.StateRunning || reply.key.state == schema.StateWaiting
		if (begun || c.words.votes[id]) && why != schema.ReasonStart {
			continue // it was not its last word, or not the last vote
		}
		if c.words.panicked[reply.ev.About] {
			continue // it is lost
		}
		unheard := reply.at.After(l.capturedTo) && reply.at.Before(l.listensFrom)
		if l.knows[reply.key] || unheard {
			c.w.fail("%s: execution %d times out (%s), but a worker sent %s at %v, before epoch %d led",
				e.Name, r.N, why, reply.key.state, reply.at, l.epoch)
		}
		if at, sent := l.sentAt[reply.key]; sent && c.times.until[id].of(l).allowed(at, why) {
			c.w.fail("%s: execution %d times out (%s) at %v, but a worker's %s was sent to epoch %d at %v",
				e.Name, r.N, why, l.n.clock(), reply.key.state, l.epoch, at)
		}
	}
}
