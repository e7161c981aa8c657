package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// welcome is what a station that limits its executions has for one more.
type welcome uint8

const (
	free    welcome = iota // a turn, at once or when the line has come to it
	inLine                 // the plan stands in its line for an earlier occurrence
	refused                // none: it is full, and what finds it full is to be skipped
)

// A question is what decides over an occurrence that is due.
type question struct {
	load    state.Busy
	overlap schema.WhenBusy
	asked   bool // for that overlap; the skip that nobody asked for is milder
	// failed says that the last effective execution ended badly and that nothing was
	// skipped for it yet.
	failed  bool
	failure schema.WhenFailed
	// full says that the plan has as many executions under way as it allows itself.
	full        bool
	concurrency schema.WhenFull
	station     welcome
}

// A verdict is what becomes of an occurrence that is due.
type verdict uint8

const (
	start      verdict = iota // it opens
	wait                      // it is not looked for until something of the plan ends
	replace                   // the open ones are skipped in its favour
	cancel                    // the open ones are cancelled in its favour
	skipBusy                  // it is skipped: overlap
	skipFailed                // it is skipped: failure
	skipFull                  // it is skipped: concurrency
)

// admit asks what may keep an occurrence that is due, in this order: overlap, then failure,
// then concurrency. What one of them makes wait or skips is not asked the next; and what is
// to take the place of others has to pass all three first, so that nothing gives way to an
// occurrence that will not run.
func admit(q question) verdict {
	v := whenBusy(q.load, q.overlap, q.asked)
	switch {
	case v == wait, v == skipBusy:
		return v
	case q.failed && q.failure == schema.FailedSkip:
		return skipFailed
	case v == cancel:
		return cancel // which makes the room that it needs
	case q.station == refused:
		return skipFull
	case v == replace:
		return replace // whose turn it takes over
	}
	if q.full && q.overlap != schema.BusyParallel {
		switch q.concurrency {
		case schema.FullSkip:
			return skipFull
		case schema.FullQueue:
			return wait
		}
	}
	if q.station == inLine {
		return wait
	}
	return start
}

// whenBusy answers for overlap. Under skip, the policy that nobody asked for leaves the
// next occurrence alone while one executes, so that what was lost to a long execution is
// skipped as one when it ends (seed 000, 3.3.2); asked for, it skips each as it falls
// due.
func whenBusy(l state.Busy, overlap schema.WhenBusy, asked bool) verdict {
	if l == state.Idle {
		return start
	}
	switch overlap {
	case schema.BusyQueue:
		return wait
	case schema.BusyParallel, schema.BusyAllow:
		return start
	case schema.BusyCancelPrev:
		return cancel
	default:
		switch {
		case l == state.Waits:
			return replace
		case asked:
			return skipBusy
		default:
			return wait
		}
	}
}

// question gathers what decides over the next run of p.
func questionOf(m *Partition, p *state.Plan, l state.Busy) question {
	t, k := m.termsOf(p), p.Marked()
	return question{
		load: l, overlap: t.Overlap, asked: t.OverlapGiven,
		failed: k.Failed != 0 && !k.Yielded, failure: t.Failure,
		full: p.Full(t), concurrency: t.Concurrency,
		station: welcomes(m, p, t),
	}
}

// mayRunBeside reports that p may have one more execution than are under way.
func mayRunBeside(m *Partition, p *state.Plan) bool {
	if p.Tallied == 0 {
		return true
	}
	t := m.termsOf(p)
	return t.MaxConcurrency == 0 || int64(p.Tallied) < t.MaxConcurrency ||
		t.Overlap == schema.BusyParallel || t.Concurrency == schema.FullParallel
}
