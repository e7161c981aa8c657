package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A worker that has claimed an execution says now and then that it lives. Its pings are
// in no row: a new leader waits for the next one as long as if it had just come, so that
// it neither cuts off who lives nor forgets who does not.

// isPing reports that a word says no more than that its worker is at it.
func isPing(s schema.State) bool { return s == schema.StateRunning || s == schema.StateWaiting }

// awaitPing sets by when the worker of x must ping. Where pings stood in for the end of it
// and are expected no longer, x ends as what is claimed now; true: it has such an end since
// then.
func (m *Machine) awaitPing(p *plan, x *execution, now unit.Moment) bool {
	t := m.termsOf(p)
	x.pingBy = now.After(t.PingTimeout)
	if x.pingBy != 0 || x.deadline != 0 {
		return false
	}
	x.deadline = now.After(t.ExecTimeout)
	return x.deadline != 0
}

// pinged moves the ping expiry of x, and returns how often its worker is to ping, in
// milliseconds; 0 when it need not.
func (t *turn) pinged(p *plan, x *execution) int64 {
	terms := t.termsOf(p)
	if t.awaitPing(p, x, t.now) {
		t.touch(p)
	}
	if terms.PingInterval == 0 {
		return 0
	}
	return max(1, terms.PingInterval.Milliseconds())
}

// mayKeep reports that who has claimed x may go on with it. Who is no longer among
// worker_ids is told so at its next ping, and not when it has come to an end.
func (m *Machine) mayKeep(p *plan, x *execution, said schema.State) bool {
	return !x.claimed || !isPing(said) || p.mayClaim(x.worker)
}

// mayClaim reports that worker_ids do not keep a worker from p.
func (p *plan) mayClaim(worker string) bool {
	return p.opts == nil || len(p.opts.workers) == 0 || slices.Contains(p.opts.workers, worker)
}

// dismiss ends x, whose worker may go on no longer: the occurrence goes on with others.
func (t *turn) dismiss(p *plan, o *occurrence, x *execution) {
	x.cut = true
	said := outcome{state: schema.StateCancelled, worker: x.worker}
	if p.closing {
		t.giveUp(p, o, x, said) // there are no others
		return
	}
	t.cancelWorker(p, o, x, "")
	t.end(p, o, x, said)
	if o.crew != nil {
		o.putOff(x, said.state, t.now, 0)
	}
}
