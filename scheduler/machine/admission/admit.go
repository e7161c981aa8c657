package admission

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// welcome is what a station that limits its executions has for one more.
type Capacity uint8

const (
	free   Capacity = iota // a turn, at once or when the line has come to it
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

// A Verdict is what becomes of an occurrence that is due.
type Verdict uint8

const (
	Start      Verdict = iota // it opens
	Wait                      // it is not looked for until something of the plan ends
	Replace                   // the open ones are skipped in its favour
	Cancel                    // the open ones are cancelled in its favour
	SkipBusy                  // it is skipped: overlap
	SkipFailed                // it is skipped: failure
	SkipFull                  // it is skipped: concurrency
)

// Admit asks what may keep an occurrence that is due, in this order: overlap, then failure,
// then concurrency. What one of them makes wait or skips is not asked the next; and what is
// to take the place of others has to pass all three first, so that nothing gives way to an
// occurrence that will not run.
func Admit(q Question) Verdict {
	v := whenBusy(q.Load, q.Overlap, q.Asked)
	switch {
	case v == Wait, v == SkipBusy:
		return v
	case q.Failed && q.Failure == schema.FailedSkip:
		return SkipFailed
	case v == Cancel:
		return Cancel // which makes the room that it needs
	case q.Station == Full:
		return SkipFull
	case v == Replace:
		return Replace // whose turn it takes over
	}
	if q.Full && q.Overlap != schema.BusyParallel {
		switch q.Concurrency {
		case schema.FullSkip:
			return SkipFull
		case schema.FullQueue:
			return Wait
		}
	}
	if q.Station == InLine {
		return Wait
	}
	return Start
}

// whenBusy answers for overlap. Under skip, the policy that nobody asked for leaves the
// next occurrence alone while one executes, so that what was lost to a long execution is
// skipped as one when it ends (seed 000, 3.3.2); asked for, it skips each as it falls
// due.
func whenBusy(l state.Busy, overlap schema.WhenBusy, asked bool) Verdict {
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
			return SkipBusy
		default:
			return Wait
		}
	}
}

// question gathers what decides over the next run of p.
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
	if p.Tallied == 0 {
		return true
	}
	t := m.TermsOf(p)
	return t.MaxConcurrency == 0 || int64(p.Tallied) < t.MaxConcurrency ||
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
