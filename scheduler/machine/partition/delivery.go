package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Named returns the workers that an execution of p goes to, one at a time: only those of
// api stations are (at a pull station worker_ids say who may claim).
func (m *Partition) Named(p *state.Plan) []string {
	if p.Opts == nil || p.Station.Kind() != schema.KindAPI {
		return nil
	}
	return p.Opts.Workers
}

// A worker that has claimed an execution says now and then that it lives. Its pings are
// in no row: a new leader waits for the next one as long as if it had just come, so that
// it neither cuts off who lives nor forgets who does not.

// IsPing reports that a word says no more than that its worker is at it.
func IsPing(s schema.State) bool { return s == schema.StateRunning || s == schema.StateWaiting }

// AwaitPing sets by when the worker of x must ping. Where pings stood in for the end of it
// and are expected no longer, x ends as what is claimed now; true: it has such an end since
// then.
func (m *Partition) AwaitPing(p *state.Plan, x *state.Execution, now unit.Moment) bool {
	t := m.TermsOf(p)
	x.PingBy = now.After(t.PingTimeout)
	if x.PingBy != 0 || x.Deadline != 0 {
		return false
	}
	x.Deadline = now.After(t.ExecTimeout)
	return x.Deadline != 0
}

// MayKeep reports that who has claimed x may go on with it. Who is no longer among
// worker_ids is told so at its next ping, and not when it has come to an end.
func (m *Partition) MayKeep(p *state.Plan, x *state.Execution, said schema.State) bool {
	return !x.Claimed || !IsPing(said) || p.MayClaim(x.Worker)
}
