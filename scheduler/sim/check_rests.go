package sim

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// looksOfRest bounds the looks of a machine that comes to rest.
const looksOfRest = 1000

// rests checks that nothing waits that could run: where a leader wants no look, one that
// had taken over in its place would send nothing that is not under way already. Who changes
// what a plan waits for has to see to it that the plan is looked at.
func (c *checker) rests(l *leader) {
	now := l.n.clock()
	// Held, it wants no look for what is due.
	if wake := l.m.Wake(); l.m.Held() || l.m.Unheard() || len(l.events) > 0 || len(l.held) > 0 || len(l.definitions.waiting) > 0 || !wake.IsZero() && !wake.After(now) || l.m.WentBack(now) {
		return
	}
	m, b := replay(c.w), batch.New(capacity)
	m.Lead(now, l.epoch+1, now)
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

// couldRun checks that what a successor would send is under way. It does not know what has
// reached nobody and is to be published again, and so may end that.
func (c *checker) couldRun(x *event.Outgoing) {
	if l := c.plans.lives[x.Incarnation]; l == nil || l.recorded[x.N] {
		return
	}
	unserved := false
	for name, other := range c.plans.current {
		if name.Station != x.Name.Station {
			continue // what is of its station may have the place that this one waits for
		}
		for _, o := range other.record.Open {
			for _, e := range o.Executions {
				unserved = unserved || c.sends.again(execID{other.incarnation, e.N})
			}
		}
	}
	if !unserved {
		c.w.fail("%s: nothing is due, and a successor would send execution %d of occurrence %d", x.Name, x.N, x.Occurrence)
	}
}
