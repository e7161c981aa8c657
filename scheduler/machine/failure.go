package machine

import "github.com/stationmaster-io/stationmaster/schema"

// What an execution that ended badly means for the next occurrence (the policy failure). It
// is judged by the last effective execution: the one that settled an occurrence last. Not
// effective are an error that is tried again, a run that somebody triggered, what was
// skipped, and what was cancelled in favour of the next occurrence, which would else be
// skipped for it.

// judge notes how o was settled by an execution of its own.
func (p *plan) judge(o *occurrence, s schema.State) {
	if o.trigger != 0 {
		return
	}
	k := p.marked()
	k.failed, k.yielded = 0, false
	if s != schema.StateOK {
		k.failed = max(o.attempt, 1)
	}
	p.mark(k)
}

// yield notes that an occurrence was skipped for the failure of the one before.
func (p *plan) yield() {
	k := p.marked()
	k.yielded = true
	p.mark(k)
}

// attemptsBefore is how many attempts o, which begins, goes on from.
func (m *Machine) attemptsBefore(p *plan, o *occurrence) int64 {
	k := p.marked()
	if k.failed == 0 || o.trigger != 0 {
		return 0
	}
	switch m.termsOf(p).Failure {
	case schema.FailedRetry:
		return k.failed
	case schema.FailedSkip:
		if k.yielded {
			return k.failed + 1 // the skipped occurrence stands for an attempt
		}
	}
	return 0
}
