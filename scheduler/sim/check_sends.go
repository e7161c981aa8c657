package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// sendModel holds the decision time of executions, and how often each has left. Its promise: an
// execution leaves once, and again only when it reached no worker, or when a leader cannot know
// whether an earlier one has sent it; none is decided before it is due, or begins while too many
// results are behind.
type sendModel struct {
	w       *world
	of      map[execID]*sends
	decided map[execID]time.Time // when, by the leader's clock
}

func newSendModel(w *world) *sendModel {
	return &sendModel{w: w, of: map[execID]*sends{}, decided: map[execID]time.Time{}}
}

// sends is how often an execution was published.
type sends struct {
	by      *leader
	left    bool
	excused bool // it reached no worker when it was published last
	late    int  // how often else it may come, because leaders have decided to send it, and not yet done so
	again   bool // it may be published at other times than those in the journal
}

// published checks an execution as it leaves.
func (b *sendModel) published(l *leader, x *event.Outgoing) {
	id := execID{x.Incarnation, x.N}
	s := b.of[id]
	if s == nil {
		b.of[id] = &sends{by: l, left: true, again: x.Pub}
		return
	}
	s.left = true
	adopted := x.Pub && s.by != l
	switch {
	case s.excused:
		s.excused = false
	case s.late > 0:
		s.late--
	case !adopted:
		b.w.fail("%s: execution %d is published again, and a worker may have it", x.Name, x.N)
	}
	if s.by == nil || s.by.epoch < l.epoch {
		s.by = l
	}
}

// unpublished notes that an execution did not leave, and that its leader knows it.
func (b *sendModel) unpublished(x *event.Outgoing) {
	id := execID{x.Incarnation, x.N}
	if b.of[id] == nil {
		b.of[id] = &sends{}
	}
	b.of[id].excused, b.of[id].again = true, true
}

// undelivered notes that the last publication of an execution reached no worker.
func (b *sendModel) undelivered(x *event.Outgoing) {
	s := b.of[execID{x.Incarnation, x.N}]
	s.excused, s.again = true, true
}

// mayBegin checks that nothing begins while too many results are behind.
func (b *sendModel) mayBegin(l *leader, x *event.Outgoing) {
	if _, begun := b.decided[execID{x.Incarnation, x.N}]; !begun && l.strained {
		b.w.fail("%s: execution %d begins while %d results are behind", x.Name, x.N, len(l.results.queue))
	}
}

// sentAgain checks an execution that a leader sends once more since it does not know
// whether an earlier one has: it is not one of its own.
func (b *sendModel) sentAgain(l *leader, id execID, n schema.Notice) {
	s := b.of[id]
	if s == nil || !s.left {
		b.w.report.Faults["execution not sent before its leader ended"]++
	}
	if s == nil {
		s = &sends{late: 1} // the leader that decided it was frozen before it left, and may go on
		b.of[id] = s
	}
	if s.by == l {
		b.w.fail("%s/%s: execution %d is sent again by the leader that sent it", n.Station, n.PlanID, n.N)
	}
	s.by, s.again = l, true
	s.late++
}

// sentAtLast checks an execution that a leader sends since it knows that no earlier one has,
// nor will.
func (b *sendModel) sentAtLast(l *leader, id execID, n schema.Notice) {
	b.w.report.Faults["execution sent in place of its leader"]++
	if s := b.of[id]; s != nil && s.left {
		b.w.fail("%s/%s: execution %d is taken for unsent, and has left", n.Station, n.PlanID, n.N)
	}
	b.of[id] = &sends{by: l, again: true, late: 1}
}

// left reports that an execution has left.
func (b *sendModel) left(id execID) bool { return b.of[id] != nil && b.of[id].left }

// reachedNone reports that an execution was published, or was to be, and reached no worker.
func (b *sendModel) reachedNone(id execID) bool { return b.of[id] != nil && b.of[id].excused }

// again reports that an execution may be published at other times than those in the journal, as one
// that has not left yet: a successor publishes it, and tells nothing of it where no reply comes.
func (b *sendModel) again(id execID) bool { return b.of[id] == nil || b.of[id].again }

// early checks that the first execution of an occurrence is not decided before it is due, by the
// clock of the node that decides, or of the one that found it due and was ahead. (Later executions
// may be, when the clock was set back meanwhile.)
func (b *sendModel) early(l *leader, x *event.Outgoing) {
	if x.Attempt == 1 && l.n.clock().Add(b.w.apart).Before(x.PlanTime) {
		b.w.fail("%s: occurrence %d of %v is dispatched early, at %v", x.Name, x.Occurrence, x.PlanTime, l.n.clock())
	}
}
