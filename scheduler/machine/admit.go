package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
)

// load is what a plan is busy with when an occurrence falls due.
type load uint8

const (
	idle      load = iota
	waits          // an earlier occurrence is undelivered, or waits for its retry or its turn
	executing      // an earlier occurrence is with a worker
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
	load    load
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
func whenBusy(l load, overlap schema.WhenBusy, asked bool) verdict {
	if l == idle {
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
		case l == waits:
			return replace
		case asked:
			return skipBusy
		default:
			return wait
		}
	}
}

// question gathers what decides over the next run of p.
func (m *Machine) question(p *plan, l load) question {
	t, k := m.termsOf(p), p.marked()
	return question{
		load: l, overlap: t.Overlap, asked: t.OverlapGiven,
		failed: k.failed != 0 && !k.yielded, failure: t.Failure,
		full: p.full(t), concurrency: t.Concurrency,
		station: m.welcomes(p, t),
	}
}

// full reports that another occurrence of p would be one too many: those that were
// opened and not dispatched count too, since their time has come or will.
func (p *plan) full(t *schema.Terms) bool {
	if t.MaxConcurrency == 0 || len(p.open) == 0 {
		return false
	}
	if p.weight() >= maxOpen {
		return true
	}
	under := int64(0)
	for _, o := range p.open {
		under += int64(len(o.live))
		if o.attempt == 0 {
			under++
		}
	}
	return under >= t.MaxConcurrency
}

// mayRunBeside reports that p may have one more execution than are under way.
func (m *Machine) mayRunBeside(p *plan) bool {
	if p.tallied == 0 {
		return true
	}
	t := m.termsOf(p)
	return t.MaxConcurrency == 0 || int64(p.tallied) < t.MaxConcurrency ||
		t.Overlap == schema.BusyParallel || t.Concurrency == schema.FullParallel
}

// load computes what p is busy with.
func (p *plan) load() load {
	l := idle
	for _, o := range p.open {
		if o.delivered() {
			return executing
		}
		l = waits
	}
	return l
}

// delivered reports that a worker may have an execution of o.
func (o *occurrence) delivered() bool {
	for _, x := range o.live {
		if x.retry == 0 {
			return true
		}
	}
	return false
}

// isOut reports that o has an execution that is on its way, with a worker, or that may have
// been published.
func (o *occurrence) isOut() bool {
	return slices.ContainsFunc(o.live, func(x *execution) bool { return !x.unserved() })
}

// isOut reports that all that is open of p is.
func (p *plan) isOut() bool {
	return !slices.ContainsFunc(p.open, func(o *occurrence) bool { return !o.isOut() })
}
