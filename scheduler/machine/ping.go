package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
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
func (m *Partition) awaitPing(p *state.Plan, x *state.Execution, now unit.Moment) bool {
	t := m.termsOf(p)
	x.PingBy = now.After(t.PingTimeout)
	if x.PingBy != 0 || x.Deadline != 0 {
		return false
	}
	x.Deadline = now.After(t.ExecTimeout)
	return x.Deadline != 0
}

// pinged moves the ping expiry of x, and returns how often its worker is to ping, in
// milliseconds; 0 when it need not.
func (t *Turn) pinged(p *state.Plan, x *state.Execution) int64 {
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
func (m *Partition) mayKeep(p *state.Plan, x *state.Execution, said schema.State) bool {
	return !x.Claimed || !isPing(said) || p.MayClaim(x.Worker)
}

// dismiss ends x, whose worker may go on no longer: the occurrence goes on with others.
func (t *Turn) dismiss(p *state.Plan, o *state.Occurrence, x *state.Execution) {
	x.Cut = true
	said := outcome{state: schema.StateCancelled, worker: x.Worker}
	if p.Closing {
		t.giveUp(p, o, x, said) // there are no others
		return
	}
	t.cancelWorker(p, o, x, "")
	t.end(p, o, x, said)
	if o.Slots != nil {
		o.PutOff(x, said.state, t.now, 0)
	}
}
