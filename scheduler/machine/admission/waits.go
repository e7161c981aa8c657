package admission

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// WaitsOf shows the oldest occurrence of p that is due and does not run; nil: there is none.
func WaitsOf(m *partition.Partition, p *state.Plan, now unit.Moment) *schema.Waits {
	for _, o := range p.Open {
		if w := WaitOfOpen(m, p, o, now); w != nil {
			return w
		}
	}
	d := p.Next
	if d.K == 0 || !WaitsItsTurn(m, p, now) {
		return nil
	}
	return &schema.Waits{For: TurnOf(m, p), Occurrence: d.K, Since: d.At}
}

// ShapeOf is the shape as which p counts: its status, its type, and the cause that WaitsOf shows. A plan that has
// closed and whose executions go on does not count.
func ShapeOf(m *partition.Partition, p *state.Plan, now unit.Moment) tally.Shape {
	if p.IsGone() || p.Removed {
		return 0
	}
	return tally.ShapeOf(p.Status(), p.Type, waitFor(m, p, now), p.DeliversCallbacks())
}

// waitFor is the cause that WaitsOf shows; empty: none.
func waitFor(m *partition.Partition, p *state.Plan, now unit.Moment) schema.WaitFor {
	for _, o := range p.Open {
		if w := WaitOf(kindOf(o, causeOf(m, p, o, now), p.StartsAt(o))); w != "" {
			return w
		}
	}
	if !WaitsItsTurn(m, p, now) {
		return ""
	}
	return TurnOf(m, p)
}

// WaitsItsTurn reports that the next occurrence of p is due, and waits in the schedule, to run when
// an earlier one has ended or the limit allows it.
func WaitsItsTurn(m *partition.Partition, p *state.Plan, now unit.Moment) bool {
	return p.Next.K != 0 && unit.DueMoment(p.Next.At) <= now && p.Inbox == nil && !p.Closing && p.Suspension == nil &&
		!p.SkipsNext() && !p.Schedule.Continuous() && HasToWait(m, p) && (Queues(m, p) || m.TermsOf(p).CatchUp == schema.MissedFull)
}

// TurnOf is the cause for which an occurrence of p waits in the schedule: an earlier occurrence, or
// a limit.
func TurnOf(m *partition.Partition, p *state.Plan) schema.WaitFor {
	switch m.TermsOf(p).Overlap {
	case schema.BusyAllow, schema.BusyParallel:
		return schema.WaitRoom
	default:
		return schema.WaitTurn
	}
}

// WaitOfOpen shows the wait of o, which is open; nil: it runs, or is about to.
func WaitOfOpen(m *partition.Partition, p *state.Plan, o *state.Occurrence, now unit.Moment) *schema.Waits {
	h := HoldOf(m, p, o, now)
	w := &schema.Waits{For: WaitOf(h.For), Occurrence: o.K, N: o.Newest(), Since: h.Since.Time(), Next: h.Until.Time()}
	switch w.For {
	case "":
		return nil
	case schema.WaitWorker:
		w.Since = o.At.Time() // of its first try
		for _, x := range o.Live {
			w.Tries = max(w.Tries, int64(x.Misses))
		}
	case schema.WaitRetry:
		w.Tries = o.Attempt
	case schema.WaitRoom:
		w.Place = int64(p.Station.Line.Place(p.Handle))
	}
	if w.Since.IsZero() && w.For != schema.WaitPerson { // of which it would be a guess
		w.Since = max(o.Due, o.At).Time()
	}
	return w
}

// WaitOf is the word for a hold; empty: it is none that an occurrence waits for.
func WaitOf(h HoldKind) schema.WaitFor {
	switch h {
	case Worker, Claim, Room, Turn, Retry, Jitter, Lock, Person, Resume:
		return schema.WaitFor(h)
	default:
		return ""
	}
}
