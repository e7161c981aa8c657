package admission

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Capacity says whether the station can start one more execution: now, behind those that stand
// in its line, or not at all.
type Capacity uint8

const (
	roomy  Capacity = iota // a turn, at once or when the line has come to it
	InLine                 // the plan stands in its line for an earlier occurrence
	Full                   // none: it is full, and what finds it full is to be skipped
)

// A Question is what decides over an occurrence that is due.
type Question struct {
	Load    state.Busy
	Overlap schema.WhenBusy
	Asked   bool // for that overlap; the skip that nobody asked for is milder
	// Failed says that the last effective execution ended badly and that nothing was
	// skipped for it yet.
	Failed  bool
	Failure schema.WhenFailed
	// Full says that the plan has as many executions under way as it allows itself.
	Full        bool
	Concurrency schema.WhenFull
	Station     Capacity
}

// An Action is what is done with an occurrence that is due.
type Action uint8

const (
	Start   Action = iota // it opens
	Wait                  // it is not looked for until something of the plan ends
	Replace               // the open ones are skipped in its favour
	Cancel                // the open ones are cancelled in its favour
	Skip                  // it is skipped, for a reason
)

// A Verdict is what becomes of an occurrence that is due, and what decided that.
type Verdict struct {
	Do     Action
	Reason schema.Reason // of what is skipped, or gives way to it: overlap, failure, concurrency
	// By is what it ran into: what is open of its plan, the oldest of several, or its station,
	// which has no room. What failed before is not kept, so a skip for that refers to nothing.
	By Ref
}

// Admit asks what may keep an occurrence that is due, in this order: overlap, then failure,
// then concurrency. What one of them makes wait or skips is not asked the next; and what is
// to take the place of others has to pass all three first, so that nothing gives way to an
// occurrence that will not run.
func Admit(q *Question) (Action, schema.Reason) {
	do := whenBusy(q.Load, q.Overlap, q.Asked)
	switch {
	case do == Wait:
		return Wait, ""
	case do == Skip:
		return Skip, schema.ReasonOverlap
	case q.Failed && q.Failure == schema.FailedSkip:
		return Skip, schema.ReasonFailure
	case do == Cancel:
		return Cancel, schema.ReasonOverlap // which makes the room that it needs
	case q.Station == Full:
		return Skip, schema.ReasonConcurrency
	case do == Replace:
		return Replace, schema.ReasonOverlap // whose turn it takes over
	}
	if q.Full && q.Overlap != schema.BusyParallel {
		switch q.Concurrency {
		case schema.FullSkip:
			return Skip, schema.ReasonConcurrency
		case schema.FullQueue:
			return Wait, ""
		}
	}
	if q.Station == InLine {
		return Wait, ""
	}
	return Start, ""
}

// whenBusy answers for overlap. Under skip, the policy that nobody asked for leaves the
// next occurrence alone while one executes, so that what was lost to a long execution is
// skipped as one when it ends; asked for, it skips each as it falls
// due.
func whenBusy(l state.Busy, overlap schema.WhenBusy, asked bool) Action {
	if l == state.Idle {
		return Start
	}
	switch overlap {
	case schema.BusyQueue:
		return Wait
	case schema.BusyParallel, schema.BusyAllow:
		return Start
	case schema.BusyCancelPrev:
		return Cancel
	default:
		switch {
		case l == state.Waits:
			return Replace
		case asked:
			return Skip
		default:
			return Wait
		}
	}
}

// ranInto is what decided that an occurrence of p does not simply start.
func ranInto(m *partition.Partition, p *state.Plan, do Action, why schema.Reason) Ref {
	switch {
	case do == Start, why == schema.ReasonFailure:
		return Ref{}
	case why == schema.ReasonConcurrency && CapacityFor(m, p, m.TermsOf(p)) == Full, len(p.Open) == 0:
		return Ref{Station: p.Station.Name}
	default:
		return oldest(p)
	}
}

// QuestionOf gathers what decides over the next run of p.
func QuestionOf(m *partition.Partition, p *state.Plan, l state.Busy) Question {
	t, k := m.TermsOf(p), p.Marked()
	return Question{
		Load: l, Overlap: t.Overlap, Asked: t.OverlapGiven,
		Failed: k.Failed != 0 && !k.Yielded, Failure: t.Failure,
		Full: p.Full(t), Concurrency: t.Concurrency,
		Station: CapacityFor(m, p, t),
	}
}

// mayRunBeside reports that p may have one more execution than are under way.
func mayRunBeside(m *partition.Partition, p *state.Plan) bool {
	under := p.Live()
	if under == 0 {
		return true
	}
	t := m.TermsOf(p)
	return t.MaxConcurrency == 0 || under < t.MaxConcurrency ||
		t.Overlap == schema.BusyParallel || t.Concurrency == schema.FullParallel
}

// AttemptsBefore is how many attempts o, which begins, goes on from.
func AttemptsBefore(m *partition.Partition, p *state.Plan, o *state.Occurrence) int64 {
	k := p.Marked()
	if k.Failed == 0 || o.Trigger != 0 {
		return 0
	}
	switch m.TermsOf(p).Failure {
	case schema.FailedRetry:
		return k.Failed
	case schema.FailedSkip:
		if k.Yielded {
			return k.Failed + 1 // the skipped occurrence stands for an attempt
		}
	}
	return 0
}

// MostJitter bounds how late an occurrence of p begins that was due at a moment and has been
// taken off the schedule: by p's jitter. Where what no worker has gives way to the next
// occurrence it begins before that is due, because else a jitter as long as the interval
// would have nearly all of them give way while they wait for it. Temporal's schedules bound
// theirs by the next nominal time, too (CompiledSpec.GetNextTime).
func MostJitter(m *partition.Partition, p *state.Plan, due unit.Moment) unit.Moment {
	most := unit.Moment(p.Options().Jitter / time.Microsecond)
	if p.Next.K == 0 || p.Schedule.Continuous() {
		return most // nothing falls due while it waits
	}
	switch m.TermsOf(p).Overlap {
	case schema.BusyQueue, schema.BusyParallel, schema.BusyAllow:
		return most // the next one waits for it, or runs beside it
	default:
		return min(most, unit.DueMoment(p.Next.At)-due)
	}
}

// MayBeUnsent reports that x, whose time is up, is to be sent once more before its
// occurrence is given up: the leader that decided it may have ended before it was sent, its
// plan allows no other attempt, and may be executed again where nobody knows.
func MayBeUnsent(m *partition.Partition, p *state.Plan, o *state.Occurrence, x *state.Execution) bool {
	if !x.Adopted || p.Closing || p.Station.IsPull() || len(x.Ballot.Voted()) > 0 {
		return false
	}
	if u := p.Options().OnUnknown; u == schema.UnknownSkip || u == schema.UnknownHold {
		return false
	}
	_, again := m.TermsOf(p).Retry.Delay(o.TriesOf(x).Errors+1, 0)
	return !again
}
