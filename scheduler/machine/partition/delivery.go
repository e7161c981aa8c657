package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Named returns the workers that an execution of p is sent to, one at a time. Only api stations
// do so (at a pull station worker_ids restrict who may claim).
func (m *Partition) Named(p *state.Plan) []string {
	if p.Opts == nil || p.Station.Kind() != schema.KindAPI {
		return nil
	}
	return p.Opts.Workers
}

// A worker that has claimed an execution pings. Its pings are in no row: a new leader waits for
// the next one as long as if a ping had just arrived, so that it neither cuts off a live worker
// nor forgets a dead one.

// IsPing reports that a reply only shows that its worker is alive.
func IsPing(s schema.State) bool { return s == schema.StateRunning || s == schema.StateWaiting }

// AwaitPing sets the deadline for the next ping of x. If pings replaced the deadline of x and
// are no longer required, x gets the deadline of a claim made now; true if it got one.
func (m *Partition) AwaitPing(p *state.Plan, x *state.Execution, now unit.Moment) bool {
	t := m.TermsOf(p)
	x.PingBy = now.After(t.PingTimeout)
	if x.PingBy != 0 || x.Deadline != 0 {
		return false
	}
	x.Deadline = now.After(t.ExecTimeout)
	return x.Deadline != 0
}

// MayKeep reports that the worker that claimed x may go on with it. A worker that was removed
// from worker_ids learns so at its next ping, and its final reply still counts.
func (m *Partition) MayKeep(p *state.Plan, x *state.Execution, reply schema.State) bool {
	return !x.Claimed || !IsPing(reply) || p.MayClaim(x.Worker)
}
