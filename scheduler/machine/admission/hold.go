package admission

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A HoldKind is what an open occurrence waits for before its next execution begins.
type HoldKind string

// What its plan holds up, or its own time.
const (
	Close   HoldKind = "close"   // nothing of a plan that was closed begins any more
	Person  HoldKind = "person"  // somebody has to look
	Resume  HoldKind = "resume"  // the plan is paused
	Retry   HoldKind = "retry"   // the wait after an execution that ended badly
	Jitter  HoldKind = "jitter"  // its share of the plan's jitter
	Time    HoldKind = "time"    // another time was asked for
	Running HoldKind = "running" // its executions are under way, as many as it may have
	Worker  HoldKind = "worker"  // the execution that it has reached nobody
	Lock    HoldKind = "lock"    // its plan's items are handed over
	Turn    HoldKind = "turn"    // an earlier occurrence of its plan
)

// What others hold up: its plan would have it begin.
const (
	Claim   HoldKind = "claim"   // a worker has to claim it
	Journal HoldKind = "journal" // nothing begins while too many results are behind
)

// Room is a limit: that of the plan, or, where By names one, that of a station, in whose line
// the plan stands.
const Room HoldKind = "room"

// A Ref is what something waits for or gives way to: an occurrence with its newest execution,
// or a station.
type Ref struct {
	Occurrence int64 // 0: of a run that somebody asked for
	N          int64 // 0: it has none
	Station    string
}

// A Hold is why an occurrence does not start. The zero value: it may.
type Hold struct {
	For          HoldKind
	Since, Until unit.Moment // none: it is not known
	By           Ref
}

// ByOthers reports that the plan would have its occurrence start: nothing holds it up, or its
// station, those who claim there, or the journal.
func (h Hold) ByOthers() bool {
	return h.For == "" || h.For == Claim || h.For == Journal || h.For == Room && h.By.Station != ""
}

// HoldOf says why o, which is open, has no other execution at a moment. Retries of a plan that
// is paused wait; the run that somebody asked for does not. What was opened while an earlier
// occurrence was open waits for that, unless they may run at once.
func HoldOf(m *partition.Partition, p *state.Plan, o *state.Occurrence, now unit.Moment) Hold {
	at, fresh := p.StartsAt(o), o.Attempt == 0
	switch {
	case p.Closing:
		return Hold{For: Close}
	case p.NeedsPerson(), at == 0:
		return Hold{For: Person}
	case p.IsPaused() && (o.Trigger == 0 || !fresh):
		return Hold{For: Resume, Since: p.Suspended().Since}
	case at > now:
		return untilTime(o, at)
	case !p.HasPlace(o):
		return underWay(o)
	case p.VotesFull():
		return Hold{For: Room, By: oldest(p)}
	case p.Inbox != nil && p.Locked() != nil: // whoever was to be told of the items has them
		lock := p.Locked()
		return Hold{For: Lock, Since: lock.Live[0].Sent, Until: lock.Live[0].Deadline, By: refTo(lock)}
	case !mayRunBeside(m, p):
		return Hold{For: Room, By: oldest(p)}
	case fresh && o != p.Open[0] && waitsForEarlier(m, p):
		return Hold{For: Turn, By: refTo(p.Open[0])}
	default:
		return heldByOthers(m, p, at)
	}
}

// heldByOthers is what holds up an occurrence whose plan would have it start since a moment.
func heldByOthers(m *partition.Partition, p *state.Plan, at unit.Moment) Hold {
	switch {
	case p.Station.IsPull():
		return Hold{For: Claim, Since: at, By: Ref{Station: p.Station.Name}}
	case p.IsBehind():
		since, _, _ := p.Station.Line.Place(p.Handle)
		return Hold{For: Room, Since: since, By: Ref{Station: p.Station.Name}}
	case m.Holding.On:
		return Hold{For: Journal, Since: at}
	default:
		return Hold{}
	}
}

// untilTime is the hold of o, whose own time comes at a moment.
func untilTime(o *state.Occurrence, at unit.Moment) Hold {
	h := Hold{For: Time, Until: at}
	switch {
	case o.Attempt > 0:
		h.For = Retry
		if !o.IsShared() && o.Wait > 0 {
			h.Since = at - o.Wait
		}
	case at > o.Due:
		h.For, h.Since = Jitter, o.Due
	}
	return h
}

// underWay is the hold of o, which has as many executions as it may have.
func underWay(o *state.Occurrence) Hold {
	for _, x := range o.Live {
		if x.Unserved() {
			return Hold{For: Worker, Since: x.Sent, Until: x.Retry, By: Ref{Occurrence: o.K, N: x.N}}
		}
	}
	h := Hold{For: Running, By: refTo(o)}
	if len(o.Live) > 0 {
		h.Since, h.Until = o.Live[0].Sent, o.Live[0].Deadline
	}
	return h
}

// waitsForEarlier reports that occurrences of p do not run at once.
func waitsForEarlier(m *partition.Partition, p *state.Plan) bool {
	t := m.TermsOf(p)
	return t.Overlap != schema.BusyParallel && t.Overlap != schema.BusyAllow
}

// refTo refers to o.
func refTo(o *state.Occurrence) Ref {
	r := Ref{Occurrence: o.K, N: o.Trigger}
	if o.Executing() {
		r.N = o.Live[len(o.Live)-1].N
	}
	return r
}

// oldest refers to the first occurrence of p that executes, else to the first that is open.
func oldest(p *state.Plan) Ref {
	for _, o := range p.Open {
		if o.Executing() {
			return refTo(o)
		}
	}
	if len(p.Open) > 0 {
		return refTo(p.Open[0])
	}
	return Ref{}
}
