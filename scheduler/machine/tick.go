package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Wake returns the next moment worth a Tick; the zero time: none. A clock that went back makes
// one due, too: see WentBack.
func (m *Machine) Wake() time.Time {
	if m.part.Undelivered.Arrivals() > 0 || len(m.revisits) > 0 || len(m.part.ReplyWait.Over) > 0 || m.setback.since != 0 {
		return unit.Moment(1).Time() // long ago
	}
	_, at := transition.NextDue(&m.part)
	if next, from := m.nextRecount(); next >= 0 {
		at = unit.Sooner(at, from)
	}
	return unit.Sooner(at, m.part.Claims.Next()).Time()
}

// Due returns the moment of the first look that a plan is due for, held or not; the zero time:
// no plan is.
func (m *Machine) Due() time.Time {
	return unit.Sooner(m.part.TimerQueue.Next(), m.part.Holding.Starts.Next()).Time()
}

// tickSlice bounds the plans that one Tick looks at, so that a reply or a request never waits
// behind a million due plans.
const tickSlice = 256

// tick carries out the timers that are due. False: b has no room for more of them.
func (t *turn) tick() bool {
	t.redeliver()
	t.revisitSome()
	if !t.recountSome() {
		return false
	}
	t.evaluateAfterReplies()
	t.Settle()
	if !t.setRightSome() {
		return false
	}
	t.attend()
	t.Settle()
	for range tickSlice {
		p, at := transition.NextDue(t.Partition)
		if at == 0 || at > t.Now {
			t.auditSome()
			return true
		}
		if !t.visit(p, func(p *state.Plan) { t.upToDate(p); t.Evaluate(p) }) {
			return false
		}
	}
	return true
}

// visit calls do with p in a turn of its own; false: b has no room for it. A plan whose least
// act fits no batch is stopped, because it would block all plans that are due behind it.
func (t *turn) visit(p *state.Plan, do func(*state.Plan)) bool {
	progress := t.inOneTurn(func() {
		t.At(p)
		t.Probe("visit", p.Name)
		do(p)
	})
	if progress == TooLarge {
		t.Begin()
		t.stop(p)
		return t.Keep()
	}
	return progress == Done
}
