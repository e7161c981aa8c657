package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// nextLost is when to tell what is lost to an execution of p that goes on: when it has gone on
// for longRun, then each time that it has lasted twice as long as at what was told last, as
// with a pause. A new leader waits as long: it may hear that the execution ended before what
// fell due meanwhile, which then was not lost to it.
func nextLost(m *Partition, p *state.Plan) unit.Moment {
	since := p.ExecutesSince()
	t := m.termsOf(p)
	if since == 0 || p.Schedule.Continuous() || t.Overlap != schema.BusySkip ||
		t.CatchUp == schema.MissedFull && isMissed(m, p, p.Next) {
		return 0
	}
	return max(unit.DueMoment(p.Next.At), max(since, m.since)+state.LongRun, state.TwiceAsLong(since, unit.DueMoment(p.Prev.At)))
}

// skipAsked skips what has fallen due of what a user wants skipped.
func (t *Turn) skipAsked(p *state.Plan) {
	if p.Schedule.Continuous() { // all of them at once: there is no time between
		t.skipDue(p, p.Skip.K-p.Prev.K, calendar.Due{K: p.Skip.K, At: p.Next.At}, schema.ReasonManual)
		return
	}
	n, last := p.Schedule.Passed(p.Prev, (t.now + 1).Time())
	if last.K > p.Skip.K {
		n, last = p.Skip.K-p.Prev.K, *p.Skip
	}
	if n > 0 {
		t.skipDue(p, n, last, schema.ReasonManual)
	}
}

// takeStock takes off the schedule what has fallen due and was not taken, before a pause
// or another schedule would hide when that was: what waits its turn is opened, to run in
// its turn; what will never run is skipped.
func (t *turn) takeStock(p *state.Plan) {
	if p.Next.K == 0 || p.Schedule.Continuous() {
		return
	}
	if p.Skip != nil && p.Halt != state.Paused {
		t.skipAsked(p)
	}
	why := schema.ReasonPast
	if t.hold.on && p.Halt == state.Served {
		t.openHeld(p)
	}
	switch {
	case p.Halt == state.Paused:
		why = schema.ReasonPaused
	case queues(t.Partition, p):
		for p.Next.K != 0 && unit.DueMoment(p.Next.At) <= t.now && p.Weight() < state.MaxOpen {
			t.open(p, p.Next)
		}
		why = schema.ReasonConcurrency
	}
	t.skipPassed(p, t.now+1, why)
}
