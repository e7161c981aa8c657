package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What waits its turn, behind what is open or behind a limit, stays in the schedule: it is
// the range of occurrences behind the last one that was taken, up to the one that is noted
// here. So a plan's row is as small with a million of them, and a leader tells what waited
// from what fell due while nobody acted.

// queues reports that what falls due of p while something else is under way has its turn
// later: it queues behind what is open, or behind a limit.
func (m *Machine) queues(p *plan) bool {
	t := m.termsOf(p)
	switch t.Overlap {
	case schema.BusyQueue:
		return true
	case schema.BusyAllow:
		return t.Concurrency != schema.FullSkip && (t.MaxConcurrency > 0 || m.limit(p.station) > 0)
	case schema.BusyParallel:
		return t.Concurrency != schema.FullSkip && m.limit(p.station) > 0
	default:
		return false
	}
}

// behindQueue is the last occurrence that was taken or waits its turn.
func (p *plan) behindQueue() calendar.Due {
	if k := p.marked(); k.queued.K > p.prev.K {
		return k.queued
	}
	return p.prev
}

// nextInQueue is when to note the next occurrence that will wait its turn, none when p
// does not queue. What fell due while nobody acted is catch_up's to judge, when its turn
// has come, and what comes behind it is noted then.
func (m *Machine) nextInQueue(p *plan) unit.Moment {
	if p.schedule.Continuous() || !m.queues(p) {
		return 0
	}
	next, ok := p.schedule.Next(p.behindQueue(), time.Time{})
	if at := unit.DueMoment(next.At); ok && at >= m.actsOn(p) {
		return at
	}
	return 0
}

// passBy notes what has fallen due of p while it has to wait: it waits its turn, or is lost.
func (t *turn) passBy(p *plan) {
	if t.queues(p) {
		t.queue(p)
		return
	}
	t.skipPassed(p, t.now+1, schema.ReasonPast)
}

// queue notes what has fallen due and waits its turn.
func (t *turn) queue(p *plan) {
	if n, last := p.schedule.Passed(p.behindQueue(), (t.now + 1).Time()); n > 0 {
		k := p.marked()
		k.queued = last
		p.mark(k)
		t.touch(p)
	}
}

// dropQueue skips what has fallen due of a plan that ends: what waits its turn, and what was
// lost to an execution or to a halt, and is told with the end of that otherwise.
func (t *turn) dropQueue(p *plan) {
	switch {
	case p.halt == paused:
		t.takeStock(p)
	case p.next.K == 0, p.schedule.Continuous():
	case t.queues(p):
		t.skipPassed(p, t.now+1, schema.ReasonManual)
	default:
		t.skipPassed(p, t.now+1, schema.ReasonPast)
	}
}
