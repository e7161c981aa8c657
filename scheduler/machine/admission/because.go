package admission

import (
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Ref is the obstacle or successor of an occurrence: an occurrence with its newest execution,
// or a limit.
type Ref struct {
	Occurrence int64        // 0: of a triggered run
	N          int64        // 0: it has no execution
	State      schema.State // of that execution; empty: unknown
	Worker     string       // that has it; empty: unknown
	Since      unit.Moment  // when that execution was sent; 0: unknown
	Station    string       // whose limit it is; empty: the plan's own, or none

	UnderWay, Limit int64 // of a limit; 0: it is none
}

// Because shows r as the cause of a result; nil: it refers to nothing.
func (r Ref) Because() *schema.Because {
	if r == (Ref{}) {
		return nil
	}
	return &schema.Because{
		Occurrence: r.Occurrence, N: r.N, State: r.State, WorkerID: r.Worker, Since: r.Since.Time(),
		Station: r.Station, UnderWay: r.UnderWay, Limit: r.Limit,
	}
}

// RefTo refers to o.
func RefTo(o *state.Occurrence) Ref {
	if o.Executing() {
		return RefToExecution(o, o.Live[len(o.Live)-1])
	}
	return Ref{Occurrence: o.K, N: o.Newest(), State: schema.StateWaiting, Since: o.Due}
}

// RefToExecution refers to x of o.
func RefToExecution(o *state.Occurrence, x *state.Execution) Ref {
	return Ref{Occurrence: o.K, N: x.N, State: x.State, Worker: x.Worker, Since: x.Sent}
}

// Oldest refers to the first occurrence of p that executes, else to the first open one; zero:
// none is open.
func Oldest(p *state.Plan) Ref {
	for _, o := range p.Open {
		if o.Executing() {
			return RefTo(o)
		}
	}
	if len(p.Open) > 0 {
		return RefTo(p.Open[0])
	}
	return Ref{}
}

// refToStation refers to the limit of p's station.
func refToStation(m *partition.Partition, p *state.Plan) Ref {
	return Ref{Station: p.Station.Name, UnderWay: p.Station.UnderWay, Limit: m.Limit(p.Station)}
}

// refToLimit refers to the limit of p itself.
func refToLimit(m *partition.Partition, p *state.Plan) Ref {
	r := Oldest(p)
	r.UnderWay, r.Limit = p.Live(), m.TermsOf(p).MaxConcurrency
	if r.Limit == 0 || p.Weight() >= state.MaxOpen { // no limit that a user set
		r.UnderWay, r.Limit = int64(p.Weight()), state.MaxOpen
	}
	return r
}

// WaitsForLimit is the limit behind which the next occurrence of p waits in the schedule.
func WaitsForLimit(m *partition.Partition, p *state.Plan) Ref {
	if p.Full(m.TermsOf(p)) {
		return refToLimit(m, p)
	}
	return refToStation(m, p)
}

// Ran into, of each skip that a verdict or a bound decides.

// ranInto is the obstacle because of which an occurrence of p does not simply start.
func ranInto(m *partition.Partition, p *state.Plan, do Action, why schema.Reason) Ref {
	switch {
	case do == Start:
		return Ref{}
	case why == schema.ReasonFailure:
		return refToFailure(p)
	case why == schema.ReasonConcurrency:
		return RanIntoLimit(m, p)
	case len(p.Open) == 0:
		return refToStation(m, p)
	default:
		return Oldest(p)
	}
}

// RanIntoLimit is the limit because of which an occurrence of p is skipped.
func RanIntoLimit(m *partition.Partition, p *state.Plan) Ref {
	if p.Weight() < state.MaxOpen && CapacityFor(m, p, m.TermsOf(p)) == Full {
		return refToStation(m, p)
	}
	return refToLimit(m, p)
}

// refToFailure refers to the last effective execution of p, which ended badly.
func refToFailure(p *state.Plan) Ref {
	ran := p.Marked().Ran
	return Ref{Occurrence: ran.K, N: ran.N, State: ran.State, Worker: ran.Worker}
}

// VerdictOnTrigger decides about a run of p that a user asks for, and names the obstacle. An
// earlier failure does not count, because a user wants the run.
func VerdictOnTrigger(m *partition.Partition, p *state.Plan) Verdict {
	q := QuestionOf(m, p, p.Busy())
	q.Asked, q.Failed = true, false
	do, why := Admit(&q)
	return Verdict{Do: do, Reason: why, By: ranInto(m, p, do, why)}
}

// The verbs of requests that stay in the state of a plan.
const (
	VerbSkip  = "skip"  // the next occurrences of the plan
	VerbClose = "close" // the plan
)

// PausedBy is the cause of a skip or a wait during a pause of p; nil: p is not paused.
func PausedBy(p *state.Plan) *schema.Because {
	by, is := state.PauseOf(p)
	if !is {
		return nil
	}
	return &schema.Because{Since: by.Since.Time(), Attribution: by.Attribution}
}

// ClosedBy is the request that closed p; nil: p is not closed.
func ClosedBy(p *state.Plan) *schema.Because {
	switch by := p.Marked().Closed; {
	case by != nil:
		return &schema.Because{Since: by.Since.Time(), Attribution: by.Attribution, Verb: VerbClose}
	case p.Closing:
		return &schema.Because{Verb: VerbClose}
	default:
		return nil
	}
}

// SkippedBy is the request because of which the next occurrences of p are skipped, of which so many
// are left then.
func SkippedBy(p *state.Plan, left int64) *schema.Because {
	return &schema.Because{Since: p.Skip.Since.Time(), Attribution: p.Skip.Attribution, Verb: VerbSkip, Left: &left}
}

// ExcludedBy is the calendar that excludes an occurrence of p; nil: none does any more.
func ExcludedBy(p *state.Plan, d calendar.Due) *schema.Because {
	content := state.CalendarsOf(p)
	if content == nil {
		return nil
	}
	at := d.At
	if from := p.Schedule.MovedFrom(d.At); !from.IsZero() {
		at = from
	}
	cause := content.Cause(at)
	if cause.Calendar == "" {
		return nil
	}
	return &schema.Because{Calendar: cause.Calendar, Day: cause.Day, Name: cause.Name, Window: cause.Window, Only: cause.Only}
}
