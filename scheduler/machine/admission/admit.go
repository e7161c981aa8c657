package admission

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Capacity is whether the station can start one more execution: now, after the plans in its
// line, or not at all.
type Capacity uint8

const (
	roomy  Capacity = iota // a turn, at once or when the line reaches the plan
	InLine                 // the plan stands in its line for an earlier occurrence
	Full                   // none, so that the occurrence is to be skipped
)

// A Question is the input of the decision about a due occurrence.
type Question struct {
	Load    state.Busy
	Overlap schema.WhenBusy
	Asked   bool // overlap was set explicitly; the default skip is milder
	// Failed: the last effective execution ended badly, and no occurrence was skipped for it
	// yet.
	Failed  bool
	Failure schema.WhenFailed
	// Full: the plan has as many executions under way as its own limit allows.
	Full        bool
	Concurrency schema.WhenFull
	Station     Capacity
}

// An Action is the treatment of a due occurrence.
type Action uint8

const (
	Start   Action = iota // it opens
	Wait                  // it waits until an execution of the plan ends
	Replace               // the open ones are skipped in its favour
	Cancel                // the open ones are cancelled in its favour
	Skip                  // it is skipped, for a reason
)

// A Verdict is the decision about a due occurrence, with its cause.
type Verdict struct {
	Do     Action
	Reason schema.Reason // of the skip or of the replacement: overlap, failure, concurrency
	// By is the obstacle: the oldest open occurrence of its plan, the one that failed, or a
	// limit.
	By Ref
}

// Admit checks a due occurrence against three policies, in this order: overlap, failure,
// concurrency. The first policy that makes it wait or skips it decides alone; an occurrence
// that is to replace others has to pass all three first, so that none gives way to an
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
		return Cancel, schema.ReasonOverlap // which frees the capacity that it needs
	case q.Station == Full:
		return Skip, schema.ReasonConcurrency
	case do == Replace:
		return Replace, schema.ReasonOverlap // it takes over the turn of the replaced one
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

// whenBusy applies the overlap policy. Under the default skip the next occurrence waits while
// one executes, so that the occurrences lost to a long execution are skipped as one when it
// ends; under an explicit skip each is skipped as it falls due.
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

// QuestionOf gathers the input of the decision about the next run of p.
func QuestionOf(m *partition.Partition, p *state.Plan, l state.Busy) Question {
	t, k := m.TermsOf(p), p.Marked()
	return Question{
		Load: l, Overlap: t.Overlap, Asked: t.OverlapGiven,
		Failed: k.Failed != 0 && !k.Yielded, Failure: t.Failure,
		Full: p.Full(t), Concurrency: t.Concurrency,
		Station: CapacityFor(m, p, t),
	}
}

// mayRunBeside reports that the limit of p allows one more execution.
func mayRunBeside(m *partition.Partition, p *state.Plan) bool {
	under := p.Live()
	if under == 0 {
		return true
	}
	t := m.TermsOf(p)
	return t.MaxConcurrency == 0 || under < t.MaxConcurrency ||
		t.Overlap == schema.BusyParallel || t.Concurrency == schema.FullParallel
}

// AttemptsBefore is the number of earlier attempts that o, which begins, continues.
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

// MostJitter bounds the delay of an occurrence of p that was due at a moment and has been taken
// off the schedule. The bound is p's jitter. An undelivered occurrence that gives way to the next
// one begins before the next is due, because a jitter as long as the interval would otherwise
// make nearly all of them give way during their delay. Temporal's schedules bound theirs by the
// next nominal time, too (CompiledSpec.GetNextTime).
func MostJitter(m *partition.Partition, p *state.Plan, due unit.Moment) unit.Moment {
	most := unit.Moment(p.Options().Jitter / time.Microsecond)
	if p.Next.K == 0 || p.Schedule.Continuous() {
		return most // no occurrence falls due while it waits
	}
	switch m.TermsOf(p).Overlap {
	case schema.BusyQueue, schema.BusyParallel, schema.BusyAllow:
		return most // the next one waits for it, or runs beside it
	default:
		return min(most, unit.DueMoment(p.Next.At)-due)
	}
}

// MayBeUnsent reports that x, whose deadline has passed, is to be sent once more before its
// occurrence is given up: the leader that created it may have ended before it sent it, its plan
// allows no other attempt, and its on_unknown policy allows another execution.
func MayBeUnsent(m *partition.Partition, p *state.Plan, o *state.Occurrence, x *state.Execution) bool {
	if !x.Adopted || p.Closing || !p.CanResend(x) || len(x.Ballot.Voted()) > 0 {
		return false
	}
	if u := p.Options().OnUnknown; u == schema.UnknownSkip || u == schema.UnknownHold {
		return false
	}
	_, again := m.TermsOf(p).Retry.Delay(o.TriesOf(x).Errors+1, 0)
	return !again
}
