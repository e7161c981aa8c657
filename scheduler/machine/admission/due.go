package admission

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// NextTurn is the moment at which p's next occurrence is to be opened or skipped; 0 while
// another event has to come first.
func NextTurn(m *partition.Partition, p *state.Plan) unit.Moment {
	switch {
	case p.Inbox != nil:
		return p.InboxTurn()
	case p.Next.K == 0, p.Closing, p.NeedsPerson(), p.Rests():
		return 0
	case p.IsPaused():
		return p.NextNote()
	case p.ExcludesNext():
		return p.NextExcluded()
	case !p.SkipsNext() && judgesLater(m, p):
		return 0
	case !p.SkipsNext() && HasToWait(m, p):
		return unit.Sooner(nextInQueue(m, p), nextLost(m, p))
	default:
		return unit.DueMoment(p.Next.At)
	}
}

// HasToWait reports that p's next occurrence waits until an execution or occurrence of p ends.
func HasToWait(m *partition.Partition, p *state.Plan) bool {
	if p.Busy() == state.Idle {
		return false
	}
	do, _ := admitNext(m, p)
	return do == Wait
}

// VerdictOn decides about p's next occurrence, and names the obstacle.
func VerdictOn(m *partition.Partition, p *state.Plan) Verdict {
	do, why := admitNext(m, p)
	return Verdict{Do: do, Reason: why, By: ranInto(m, p, do, why)}
}

// admitNext decides about p's next occurrence. An occurrence that follows the one before falls
// due when that is settled, and so never meets it.
func admitNext(m *partition.Partition, p *state.Plan) (Action, schema.Reason) {
	l := p.Busy()
	switch {
	case l == state.Idle && p.Marks == nil && m.Limit(p.Station) == 0:
		return Start, "" // under every policy, which therefore need not be looked up
	case l != state.Idle && p.Schedule.Continuous():
		return Wait, ""
	}
	q := QuestionOf(m, p, l)
	do, why := Admit(&q)
	if putOff(m, p, do, why) {
		return Wait, ""
	}
	return do, why
}

// Waited reports that d, the next occurrence of p, waited for its turn, because a leader
// was active when it fell due.
func Waited(m *partition.Partition, p *state.Plan, d calendar.Due) bool {
	return d.K <= p.Marked().Queued.K && Queues(m, p)
}

// IsMissed reports that d, the next occurrence of p, fell due without a leader. An occurrence
// that was past when p was accepted was not missed, because its publisher wants it late.
func IsMissed(m *partition.Partition, p *state.Plan, d calendar.Due) bool {
	due := unit.DueMoment(d.At)
	return due < m.ActsOn(p) && due >= p.Accepted &&
		p.Inbox == nil && !p.Schedule.Continuous() && !Waited(m, p, d)
}

// putOff reports that p's next occurrence waits against the verdict, because with catch_up full
// no missed occurrence is skipped for another, or for their number. A missed occurrence waits
// while missed ones are under way; one due in time waits only until they have begun.
func putOff(m *partition.Partition, p *state.Plan, do Action, why schema.Reason) bool {
	switch {
	case len(p.Open) == 0, do == Wait, why == schema.ReasonFailure, do == Start && len(p.Open) < state.MaxOpen:
		return false
	case m.TermsOf(p).CatchUp != schema.MissedFull:
		return false
	}
	missed := IsMissed(m, p, p.Next)
	if do == Start || why == schema.ReasonConcurrency {
		return missed
	}
	for _, o := range p.Open {
		if o.CaughtUp && (o.Attempt == 0 || missed && o.Executing()) {
			return true
		}
	}
	return false
}

// NextStart is the next moment at which an occurrence of p is to be opened or to start.
func NextStart(m *partition.Partition, p *state.Plan) unit.Moment {
	at := NextTurn(m, p)
	for _, o := range p.Open {
		if own := p.StartsAt(o); own != 0 && o.Offer == nil && starts(causeOf(m, p, o, own)) {
			at = unit.Sooner(at, own)
		}
	}
	return at
}

// starts reports that an occurrence is looked at when its own time has come, because it then
// starts, is offered, or is noted as waiting until results are stored.
func starts(c cause) bool { return c == free || c == claim || c == journal }

// judgesLater reports that p's next occurrence has no verdict yet, because an execution of p
// that counts in it waits for its reply to be stepped.
func judgesLater(m *partition.Partition, p *state.Plan) bool {
	for _, o := range p.Open {
		if slices.ContainsFunc(o.Live, (*state.Execution).AwaitsReplies) {
			do, _ := admitNext(m, p)
			return do != Start
		}
	}
	return false
}

// nextLost is when to skip the occurrences lost to an execution of p that goes on. That is after
// longRun, then each time that its duration has doubled since the last skip, as with a pause. A
// new leader waits as long, because a reply may arrive which shows that the execution ended
// before those occurrences fell due, so that they were not lost to it.
func nextLost(m *partition.Partition, p *state.Plan) unit.Moment {
	since := p.ExecutesSince()
	t := m.TermsOf(p)
	if since == 0 || p.Schedule.Continuous() || t.Overlap != schema.BusySkip ||
		t.CatchUp == schema.MissedFull && IsMissed(m, p, p.Next) {
		return 0
	}
	return max(unit.DueMoment(p.Next.At), max(since, m.Since)+state.LongRun, state.TwiceAsLong(since, unit.DueMoment(p.Prev.At)))
}

// Occurrences that wait for their turn, behind open ones or behind a limit, stay in the schedule,
// as the range from the last one that was taken to the marked one. So a plan's row is as small
// with a million of them, and a leader can distinguish the waiting ones from those that fell due
// without a leader.

// Queues reports that an occurrence of p which falls due while others are under way has its
// turn later: it queues behind open ones, or behind a limit.
func Queues(m *partition.Partition, p *state.Plan) bool {
	t := m.TermsOf(p)
	switch t.Overlap {
	case schema.BusyQueue:
		return true
	case schema.BusyAllow:
		return t.Concurrency != schema.FullSkip && (t.MaxConcurrency > 0 || m.Limit(p.Station) > 0)
	case schema.BusyParallel:
		return t.Concurrency != schema.FullSkip && m.Limit(p.Station) > 0
	default:
		return false
	}
}

// nextInQueue is when to mark the next occurrence that will wait for its turn, 0 if p does not
// queue. Occurrences that fell due without a leader are left to catch_up when their turn has
// come, and the later ones are marked then.
func nextInQueue(m *partition.Partition, p *state.Plan) unit.Moment {
	if p.Schedule.Continuous() || !Queues(m, p) {
		return 0
	}
	next, ok := p.Schedule.Next(p.BehindQueue(), time.Time{})
	if at := unit.DueMoment(next.At); ok && at >= m.ActsOn(p) {
		return at
	}
	return 0
}
