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

// NextTurn is the moment at which p's next occurrence is to be opened or skipped; none
// while something else has to happen first.
func NextTurn(m *partition.Partition, p *state.Plan) unit.Moment {
	switch {
	case p.Inbox != nil:
		return p.InboxTurn()
	case p.Next.K == 0, p.Closing, p.NeedsPerson(), p.Rests():
		return 0
	case p.IsPaused():
		return p.NextNote()
	case !p.SkipsNext() && judgesLater(m, p):
		return 0
	case !p.SkipsNext() && HasToWait(m, p):
		return unit.Sooner(nextInQueue(m, p), nextLost(m, p))
	default:
		return unit.DueMoment(p.Next.At)
	}
}

// HasToWait reports that p's next occurrence waits until something of p ends.
func HasToWait(m *partition.Partition, p *state.Plan) bool {
	if p.Busy() == state.Idle {
		return false
	}
	do, _ := admitNext(m, p)
	return do == Wait
}

// VerdictOn admits p's next occurrence, and says what that ran into.
func VerdictOn(m *partition.Partition, p *state.Plan) Verdict {
	do, why := admitNext(m, p)
	return Verdict{Do: do, Reason: why, By: ranInto(m, p, do, why)}
}

// admitNext admits p's next occurrence. One that follows the one before is due when
// that is settled, and so never meets it.
func admitNext(m *partition.Partition, p *state.Plan) (Action, schema.Reason) {
	l := p.Busy()
	switch {
	case l == state.Idle && p.Marks == nil && m.Limit(p.Station) == 0:
		return Start, "" // whatever the policy, which need not be looked up for it
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

// Waited reports that d, the next occurrence of p, waited its turn: somebody acted when
// it fell due.
func Waited(m *partition.Partition, p *state.Plan, d calendar.Due) bool {
	return d.K <= p.Marked().Queued.K && Queues(m, p)
}

// IsMissed reports that d, the next occurrence of p, fell due while no scheduler acted. One
// that was past already when p was accepted was not missed: its publisher wants it late.
func IsMissed(m *partition.Partition, p *state.Plan, d calendar.Due) bool {
	due := unit.DueMoment(d.At)
	return due < m.ActsOn(p) && due >= p.Accepted &&
		p.Inbox == nil && !p.Schedule.Continuous() && !Waited(m, p, d)
}

// putOff reports that p's next occurrence waits, though the policies say otherwise: with
// catch_up full nothing that was missed is skipped for another, or for their number. It
// waits for those of them that are under way; what is due in time, only until they are.
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

// NextStart is the next moment at which something of p is to be opened or to start.
func NextStart(m *partition.Partition, p *state.Plan) unit.Moment {
	at := NextTurn(m, p)
	for _, o := range p.Open {
		if own := p.StartsAt(o); own != 0 && o.Offer == nil && starts(causeOf(m, p, o, own)) {
			at = unit.Sooner(at, own)
		}
	}
	return at
}

// starts reports that an occurrence is looked at when its own time has come: then it starts,
// is offered, or is noted as what has to wait until results are stored.
func starts(c cause) bool { return c == free || c == claim || c == journal }

// judgesLater reports that p's next occurrence has no verdict yet, since one of p's
// executions counts in it and waits for a word.
func judgesLater(m *partition.Partition, p *state.Plan) bool {
	for _, o := range p.Open {
		if slices.ContainsFunc(o.Live, (*state.Execution).IsUnheard) {
			do, _ := admitNext(m, p)
			return do != Start
		}
	}
	return false
}

// nextLost is when to tell what is lost to an execution of p that goes on: when it has gone on
// for longRun, then each time that it has lasted twice as long as at what was told last, as
// with a pause. A new leader waits as long: it may hear that the execution ended before what
// fell due meanwhile, which then was not lost to it.
func nextLost(m *partition.Partition, p *state.Plan) unit.Moment {
	since := p.ExecutesSince()
	t := m.TermsOf(p)
	if since == 0 || p.Schedule.Continuous() || t.Overlap != schema.BusySkip ||
		t.CatchUp == schema.MissedFull && IsMissed(m, p, p.Next) {
		return 0
	}
	return max(unit.DueMoment(p.Next.At), max(since, m.Since)+state.LongRun, state.TwiceAsLong(since, unit.DueMoment(p.Prev.At)))
}

// What waits its turn, behind what is open or behind a limit, stays in the schedule: it is
// the range of occurrences behind the last one that was taken, up to the one that is noted
// here. So a plan's row is as small with a million of them, and a leader tells what waited
// from what fell due while nobody acted.

// Queues reports that what falls due of p while something else is under way has its turn
// later: it queues behind what is open, or behind a limit.
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

// nextInQueue is when to note the next occurrence that will wait its turn, none when p
// does not queue. What fell due while nobody acted is catch_up's to judge, when its turn
// has come, and what comes behind it is noted then.
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
