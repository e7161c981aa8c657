package sim

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// looksOfRest bounds the looks of a machine that comes to rest.
const looksOfRest = 1000

// rests checks that no plan waits that could run: where a leader needs no tick, a leader that took
// over in its place would send only executions that are under way already. A change of a plan's wait
// condition must therefore reconcile that plan.
// m is such a leader.
func (c *checker) rests(l *leader, m *machine.Machine) {
	now := l.n.clock()
	// A held machine needs no tick for due plans.
	if wake := l.m.Wake(); l.m.Held() || l.m.AwaitsReplies() || len(l.events) > 0 || len(l.held) > 0 || len(l.definitions.waiting) > 0 || !wake.IsZero() && !wake.After(now) || l.m.WentBack(now) {
		return
	}
	b := batch.New(capacity)
	for range looksOfRest {
		if wake := m.Wake(); wake.IsZero() || wake.After(now) {
			return
		}
		b.Reset(1)
		m.Step(now, event.Tick{}, b)
		for _, e := range b.Effects {
			if d, sends := e.(event.Dispatch); sends {
				c.couldRun(d.Execution)
			}
		}
		b.Seal()
	}
}

// couldRun checks that a successor's execution is under way. The successor does not know which
// executions reached no worker and are to be published again, so it may end those.
func (c *checker) couldRun(x *event.Outgoing) {
	if l := c.plans.lives[x.Incarnation]; l == nil || l.recorded[x.N] {
		return
	}
	undelivered := false
	for name, other := range c.plans.current {
		if name.Station != x.Name.Station {
			continue // another execution of its station may have the slot that this one waits for
		}
		for _, o := range other.record.Open {
			for _, e := range o.Executions {
				undelivered = undelivered || c.sends.again(execID{other.incarnation, e.N})
			}
		}
	}
	if !undelivered {
		c.w.fail("%s: nothing is due, and a successor would send execution %d of occurrence %d", x.Name, x.N, x.Occurrence)
	}
}
