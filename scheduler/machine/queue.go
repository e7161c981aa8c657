package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What waits its turn, behind what is open or behind a limit, stays in the schedule: it is
// the range of occurrences behind the last one that was taken, up to the one that is noted
// here. So a plan's row is as small with a million of them, and a leader tells what waited
// from what fell due while nobody acted.

// queues reports that what falls due of p while something else is under way has its turn
// later: it queues behind what is open, or behind a limit.
func queues(m *Partition, p *state.Plan) bool {
	t := m.termsOf(p)
	switch t.Overlap {
	case schema.BusyQueue:
		return true
	case schema.BusyAllow:
		return t.Concurrency != schema.FullSkip && (t.MaxConcurrency > 0 || m.limit(p.Station) > 0)
	case schema.BusyParallel:
		return t.Concurrency != schema.FullSkip && m.limit(p.Station) > 0
	default:
		return false
	}
}

// nextInQueue is when to note the next occurrence that will wait its turn, none when p
// does not queue. What fell due while nobody acted is catch_up's to judge, when its turn
// has come, and what comes behind it is noted then.
func nextInQueue(m *Partition, p *state.Plan) unit.Moment {
	if p.Schedule.Continuous() || !queues(m, p) {
		return 0
	}
	next, ok := p.Schedule.Next(p.BehindQueue(), time.Time{})
	if at := unit.DueMoment(next.At); ok && at >= m.actsOn(p) {
		return at
	}
	return 0
}

// passBy notes what has fallen due of p while it has to wait: it waits its turn, or is lost.
func (t *Turn) passBy(p *state.Plan) {
	if queues(t.Partition, p) {
		t.queue(p)
		return
	}
	t.skipPassed(p, t.now+1, schema.ReasonPast)
}

// queue notes what has fallen due and waits its turn.
func (t *Turn) queue(p *state.Plan) {
	if n, last := p.Schedule.Passed(p.BehindQueue(), (t.now + 1).Time()); n > 0 {
		k := p.Marked()
		k.Queued = last
		p.Mark(k)
		t.touch(p)
	}
}

// dropQueue skips what has fallen due of a plan that ends: what waits its turn, and what was
// lost to an execution or to a halt, and is told with the end of that otherwise.
func (t *turn) dropQueue(p *state.Plan) {
	switch {
	case p.Halt == state.Paused:
		t.takeStock(p)
	case p.Next.K == 0, p.Schedule.Continuous():
	case queues(t.Partition, p):
		t.skipPassed(p, t.now+1, schema.ReasonManual)
	default:
		t.skipPassed(p, t.now+1, schema.ReasonPast)
	}
}
