package admission

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A HoldKind is the condition that an open occurrence waits for before its next execution
// begins.
type HoldKind string

// Holds by the plan, or by the occurrence's own time.
const (
	Close   HoldKind = "close"   // a closed plan begins no execution
	Person  HoldKind = "person"  // a person has to act
	Resume  HoldKind = "resume"  // the plan is paused
	Retry   HoldKind = "retry"   // the wait after an execution that ended badly
	Jitter  HoldKind = "jitter"  // its share of the plan's jitter
	Time    HoldKind = "time"    // a request set another time
	Running HoldKind = "running" // its executions are under way, as many as it may have
	Worker  HoldKind = "worker"  // its execution had no responders
	Lock    HoldKind = "lock"    // its plan's items are handed over
	Turn    HoldKind = "turn"    // an earlier occurrence of its plan
)

// Holds by others: the plan would have it begin.
const (
	Claim   HoldKind = "claim"   // a worker has to claim it
	Journal HoldKind = "journal" // no execution begins while too many results are not stored
)

// Room is a limit: the plan's, or, where By names a station, that station's, in whose line the
// plan stands.
const Room HoldKind = "room"

// A Hold is the reason why an occurrence does not start. The zero value: it may.
type Hold struct {
	For          HoldKind
	Since, Until unit.Moment // 0: unknown
	By           Ref
}

// A cause is the kind of a hold without its details, because it is computed far more often.
type cause uint8

const (
	free cause = iota // no hold: by its plan, or at all
	closing
	person
	resume
	ownTime
	noPlace
	noVotes
	locked
	noRoom
	turn
	// Holds by others.
	claim
	inLine
	journal
)

// HoldOf is the reason why o, which is open, has no other execution at a moment. Retries of a
// paused plan wait; a triggered run does not. An occurrence opened while an earlier one was
// open waits for that, unless they may run at once.
func HoldOf(m *partition.Partition, p *state.Plan, o *state.Occurrence, now unit.Moment) Hold {
	at, c := p.StartsAt(o), causeOf(m, p, o, now)
	h := Hold{For: kindOf(o, c, at)}
	switch c {
	case person:
		if stopped := StoppedAt(p); stopped != 0 {
			h.Since = max(stopped, o.Due)
		}
	case resume:
		h.Since = p.Suspended().Since
	case ownTime:
		untilTime(&h, o, at)
	case noPlace:
		underWay(&h, o)
	case noVotes, noRoom:
		h.By = refToLimit(m, p)
	case locked:
		lock := p.Locked()
		h.Since, h.Until, h.By = lock.Live[0].Sent, lock.Live[0].Deadline, RefTo(lock)
	case turn:
		h.By = RefTo(p.Open[0])
	case claim:
		h.Since, h.By = at, Ref{Station: p.Station.Name}
	case inLine:
		since, _, _ := p.Station.Line.Entry(p.Handle)
		h.Since, h.By = since, refToStation(m, p)
	case journal:
		h.Since = at
	}
	return h
}

// StoppedAt is when a failure stopped p, until a person acts; 0: unknown.
func StoppedAt(p *state.Plan) (at unit.Moment) {
	for _, o := range p.Open {
		if e := o.LastError; e != nil {
			at = max(at, unit.MomentOf(e.EndTime))
		}
	}
	return at
}

// kinds are the kinds of holds that follow from their causes alone.
var kinds = [...]HoldKind{
	closing: Close, person: Person, resume: Resume, noVotes: Room, locked: Lock, noRoom: Room, turn: Turn,
	claim: Claim, inLine: Room, journal: Journal,
}

// kindOf is the kind of the hold of o by a cause, whose own time comes at a moment.
func kindOf(o *state.Occurrence, c cause, at unit.Moment) HoldKind {
	switch {
	case c == noPlace && unresponded(o) != nil:
		return Worker
	case c == noPlace:
		return Running
	case c != ownTime:
		return kinds[c]
	case o.Attempt > 0:
		return Retry
	case at > o.Due:
		return Jitter
	default:
		return Time
	}
}

// IsHeld reports that there is a hold of o: see [HoldOf].
func IsHeld(m *partition.Partition, p *state.Plan, o *state.Occurrence, now unit.Moment) bool {
	return causeOf(m, p, o, now) != free
}

func causeOf(m *partition.Partition, p *state.Plan, o *state.Occurrence, now unit.Moment) cause {
	if c := causeInPlan(m, p, o, p.StartsAt(o), now); c != free {
		return c
	}
	return causeOfOthers(m, p)
}

// causeInPlan is the hold of o by its plan, or by its own time, which comes at a moment; free:
// the plan would have it start.
func causeInPlan(m *partition.Partition, p *state.Plan, o *state.Occurrence, at, now unit.Moment) cause {
	fresh := o.Attempt == 0
	switch {
	case p.Closing:
		return closing
	case p.NeedsPerson(), at == 0:
		return person
	case p.IsPaused() && (o.Trigger == 0 || !fresh):
		return resume
	case at > now:
		return ownTime
	case !p.HasPlace(o):
		return noPlace
	case p.VotesFull():
		return noVotes
	case p.Inbox != nil && p.Locked() != nil: // the worker that was to be notified of the items has them
		return locked
	case !mayRunBeside(m, p):
		return noRoom
	case fresh && o != p.Open[0] && waitsForEarlier(m, p):
		return turn
	default:
		return free
	}
}

// causeOfOthers is the hold by others of an occurrence that its plan would have start.
func causeOfOthers(m *partition.Partition, p *state.Plan) cause {
	switch {
	case p.Station.IsPull():
		return claim
	case p.IsBehind():
		return inLine
	case m.Holding.On:
		return journal
	default:
		return free
	}
}

// untilTime completes the hold of o, whose own time comes at a moment.
func untilTime(h *Hold, o *state.Occurrence, at unit.Moment) {
	h.Until = at
	switch h.For {
	case Retry:
		if !o.IsShared() && o.Wait > 0 {
			h.Since = at - o.Wait
		}
	case Jitter:
		h.Since = o.Due
	}
}

// underWay completes the hold of o, which has as many executions as it may have.
func underWay(h *Hold, o *state.Occurrence) {
	if x := unresponded(o); x != nil {
		h.Since, h.Until, h.By = x.Sent, x.Retry, Ref{Occurrence: o.K, N: x.N}
		return
	}
	h.By = RefTo(o)
	if len(o.Live) > 0 {
		h.Since, h.Until = o.Live[0].Sent, o.Live[0].Deadline
	}
}

// unresponded is an execution of o that had no responders; nil: none.
func unresponded(o *state.Occurrence) *state.Execution {
	for _, x := range o.Live {
		if x.Undelivered() {
			return x
		}
	}
	return nil
}

// waitsForEarlier reports that occurrences of p do not run at the same time.
func waitsForEarlier(m *partition.Partition, p *state.Plan) bool {
	t := m.TermsOf(p)
	return t.Overlap != schema.BusyParallel && t.Overlap != schema.BusyAllow
}
