package machine

import "github.com/stationmaster-io/stationmaster/schema"

// load is what a plan is busy with when an occurrence falls due.
type load uint8

const (
	idle      load = iota
	waits          // an earlier occurrence is undelivered, or waits for its retry
	executing      // an earlier occurrence is with a worker
)

// A verdict is what becomes of an occurrence that is due.
type verdict uint8

const (
	start   verdict = iota // it opens
	wait                   // it is not looked for until what is open is settled
	replace                // the open ones are skipped in its favour
	cancel                 // the open ones are cancelled in its favour
	skip                   // it is skipped
)

// admit answers for an occurrence that is due while the plan has a load (DESIGN
// section 7, overlap). Under skip, the policy that nobody asked for leaves the
// next occurrence alone while one executes, so that what was lost to a long
// execution is skipped as one when it ends (seed 000, 3.3.2); asked for, it
// skips each as it falls due.
func admit(l load, overlap schema.WhenBusy, asked bool) verdict {
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
			return skip
		default:
			return wait
		}
	}
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
